"""What ``import equipoise`` gives: the verbs of the command line as functions; see docs/library.md."""
