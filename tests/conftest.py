"""Settings of every test: the same random examples on every run, and no clock in a verdict.

``pytest --hypothesis-profile=explore`` tries other and more examples.
"""

import signal

from hypothesis import settings

pytest_plugins = ("tests.needs", "tests.second_try")

settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("steady")

# A shell without job control starts what runs in the background deaf to SIGINT, and nohup to SIGHUP; children
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
