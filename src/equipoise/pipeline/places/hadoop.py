"""Files and folders of any file system that Hadoop reads, through the JVM of the driver alone.

Workers get what is in them as rows: a Python of theirs has no way to Hadoop.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

from equipoise.errors import UnusableInput
from equipoise.files.places import scheme_of
from equipoise.wording import first_line

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError
    from pyspark.sql import SparkSession

CODES = {
    "FileNotFoundException": errno.ENOENT,
    "AccessControlException": errno.EACCES,
    "FileAlreadyExistsException": errno.EEXIST,
}
"""Numbers of errors by the Java exceptions that tell of them."""
NO_LIBRARY = ("ClassNotFoundException", "NoClassDefFoundError", "No FileSystem for scheme")
LIMIT = "equipoise.max-file-bytes"
"""Setting of Hadoop for the largest file that is read."""
MOST_BYTES = 128 << 20
"""Without it: a worker of one core and 1 GB, as Spark starts it, keeps six copies for a moment."""
WITH_PERMISSIONS = ("hdfs", "viewfs")
"""Schemes where files have permissions of their own, and asking for them is cheap."""
PIECE = 256 << 10
"""Bytes that are handed to the JVM at once."""


@dataclass(frozen=True)
class Status:
    """What a listing tells."""

    is_dir: bool
    n_bytes: int


class HadoopPlace:
    """A path of one of Hadoop's file systems; see :class:`equipoise.files.places.Place`."""

    def __init__(self, jvm: Any, system: Any, path: Any, listed: Status | None = None) -> None:
        """``system`` and ``path`` are Hadoop's; ``listed`` what the listing that it is of told."""
        self.jvm, self.system, self.path, self.listed = jvm, system, path, listed
        self.address = str(path.toString())

    def __str__(self) -> str:
        return self.address

    def __lt__(self, other: HadoopPlace) -> bool:
        return self.address < other.address

    def __truediv__(self, name: str) -> HadoopPlace:
        # Any name may be one: a text would be taken apart at its colons.
        uri = self.path.toUri()
        whole = f"{str(uri.getPath()).rstrip('/')}/{name}"
        path = self.jvm.org.apache.hadoop.fs.Path(uri.getScheme(), uri.getAuthority(), whole)
        return HadoopPlace(self.jvm, self.system, path)

    @property
    def name(self) -> str:
        return str(self.path.getName())

    @property
    def parent(self) -> HadoopPlace:
        return HadoopPlace(self.jvm, self.system, self.path.getParent())

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def n_bytes(self) -> int:
        return self.status().n_bytes

    @property
    def too_large(self) -> str:
        """Why a file is too large to be a row, as which workers get it; "" where it is not."""
        most = int(self.system.getConf().getLong(LIMIT, MOST_BYTES))
        if self.n_bytes <= most:
            return ""
        return (
            f"is larger than {most / 1e6:,.0f} MB, and files of {scheme_of(self.address)}:// are read as a"
            f" whole: split it, or set spark.hadoop.{LIMIT} and give workers more memory"
        )

    @property
    def unreadable(self) -> str:
        """Why a file cannot be opened, where that is told before: a worker that finds out ends the job."""
        if scheme_of(self.address) not in WITH_PERMISSIONS:
            return ""
        try:
            with told_as_os_errors(self):
                self.system.access(self.path, self.jvm.org.apache.hadoop.fs.permission.FsAction.READ)
        except OSError as error:
            return f"cannot be read ({error.strerror})"
        return ""

    def status(self) -> Status:
        """Raises ``FileNotFoundError`` where there is nothing."""
        if self.listed is not None:
            return self.listed
        with told_as_os_errors(self):
            return status_of(self.system.getFileStatus(self.path))

    def exists(self) -> bool:
        try:
            self.status()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self) -> bool:
        return self.exists() and self.status().is_dir

    def is_file(self) -> bool:
        return self.exists() and not self.status().is_dir

    def iterdir(self) -> Iterator[HadoopPlace]:
        with told_as_os_errors(self):
            found = list(self.system.listStatus(self.path))
            listed = [(one.getPath(), status_of(one)) for one in found]
        yield from (HadoopPlace(self.jvm, self.system, path, status) for path, status in listed)

    def read_bytes(self) -> bytes:
        with told_as_os_errors(self):
            stream = self.system.open(self.path)
            try:
                return bytes(stream.readAllBytes())
            finally:
                stream.close()

    def read_text(self, encoding: str) -> str:
        return self.read_bytes().decode(encoding)

    def create(self, data: bytes, *, replace: bool = False) -> None:
        """Write a file, and folders on the way; ``FileExistsError`` unless it may ``replace`` one."""
        with told_as_os_errors(self):
            stream = self.system.create(self.path, replace)
            try:
                stream.write(bytearray(data))
            finally:
                stream.close()

    def write_bytes(self, data: bytes) -> int:
        """What is large passes through a file: Python's own connection to the JVM takes ten times as long."""
        if len(data) <= PIECE:
            self.create(data, replace=True)
            return len(data)
        with NamedTemporaryFile(prefix="equipoise-") as file:
            file.write(data)
            file.flush()
            with told_as_os_errors(self):
                source = self.jvm.java.io.FileInputStream(file.name)
                target = self.system.create(self.path, True)
                self.jvm.org.apache.hadoop.io.IOUtils.copyBytes(source, target, self.system.getConf(), True)
        return len(data)

    def write_text(self, data: str, encoding: str) -> int:
        return self.write_bytes(data.encode(encoding))

    def mkdir(self) -> None:
        with told_as_os_errors(self):
            self.system.mkdirs(self.path)

    def rename(self, target: HadoopPlace) -> HadoopPlace:
        with told_as_os_errors(self):
            if not self.system.rename(self.path, target.path):
                raise OSError(errno.EIO, f"cannot be renamed to {target}", str(self))
        return target

    def replace(self, target: HadoopPlace) -> None:
        """Rename it in place of another file, in one step."""
        with told_as_os_errors(self):
            hadoop = self.jvm.org.apache.hadoop.fs
            overwrite = hadoop.Options.Rename.OVERWRITE
            options = self.jvm.java.lang.reflect.Array.newInstance(overwrite.getClass(), 1)
            options[0] = overwrite
            context = hadoop.FileContext.getFileContext(self.path.toUri(), self.system.getConf())
            context.rename(self.path, target.path, options)

    def unlink(self) -> None:
        self.remove()

    def remove(self) -> None:
        """With all that is in it; nothing where there is nothing."""
        with told_as_os_errors(self):
            self.system.delete(self.path, True)

    def copy_to(self, target: HadoopPlace) -> None:
        """With all that is in it, to a place of the same file system."""
        with told_as_os_errors(self):
            self.jvm.org.apache.hadoop.fs.FileUtil.copy(
                self.system, self.path, self.system, target.path, False, self.system.getConf()
            )

    def download(self, folder: Path) -> None:
        """Put what is here into a folder of this machine, under its name."""
        with told_as_os_errors(self):
            local = self.jvm.org.apache.hadoop.fs.Path(str(folder))
            self.system.copyToLocalFile(False, self.path, local, True)


def hadoop_place(spark: SparkSession, address: str) -> HadoopPlace:
    """The place at an address; raises :class:`UnusableInput` where its file system cannot be used at all."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    jvm: Any = spark._jvm
    try:
        path = jvm.org.apache.hadoop.fs.Path(address)
        system = path.getFileSystem(spark._jsc.hadoopConfiguration())
        return HadoopPlace(jvm, system, system.makeQualified(path))
    except PySparkException as error:
        raise UnusableInput(f"is no address ({first_line(error)})", source=address) from None
    except Py4JJavaError as error:
        said = problem_of(error)
        advice = ""
        if any(words in str(error.java_exception.toString()) for words in NO_LIBRARY):
            advice = f"Give the library of {scheme_of(address)}:// with --conf spark.jars.packages=..."
        raise UnusableInput(f"cannot be used ({said})", source=address, advice=advice) from None


def status_of(told: Any) -> Status:
    """Hadoop's own as ours."""
    return Status(bool(told.isDirectory()), int(told.getLen()))


@contextmanager
def told_as_os_errors(place: HadoopPlace) -> Iterator[None]:
    """What Hadoop throws is raised as Python does of its own files."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JJavaError as error:
        kind = str(error.java_exception.getClass().getSimpleName())
        raise OSError(CODES.get(kind, errno.EIO), problem_of(error), str(place)) from None
    except PySparkException as error:  # PySpark has names of its own for some
        raise OSError(errno.EINVAL, first_line(error), str(place)) from None


def problem_of(error: Py4JJavaError) -> str:
    """The first line of what a Java exception says, without where one may read more of it."""
    thrown = error.java_exception
    told = str(thrown.getMessage() or "").strip() or str(thrown.toString()).strip()
    return told.splitlines()[0].partition("; For more details")[0]
