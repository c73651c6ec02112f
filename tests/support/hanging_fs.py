"""A file system that never responds: FUSE whose server answers the kernel's greeting and then nothing."""

import ctypes
import os
import struct
import threading


class HangingFileSystem:
    """Mounted on a directory while the `with` lasts; OSError where this process may not mount it."""

    def __init__(self, directory):
        self.directory = str(directory)
        self.libc = ctypes.CDLL(None, use_errno=True)

    def __enter__(self):
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id={os.geteuid()},group_id={os.getegid()}".encode()
        if self.libc.mount(
            b"hanging", self.directory.encode(), b"fuse", 6, options
        ):  # MS_NOSUID | MS_NODEV
            error = ctypes.get_errno()
            os.close(self.device)
            raise OSError(error, f"no file system could be mounted: {os.strerror(error)}")
        threading.Thread(target=self._greet, daemon=True).start()
        return self

    def _greet(self):
        """FUSE_INIT of include/uapi/linux/fuse.h; what follows is read, so that it cannot be taken back, and never answered."""
        try:
            request = os.read(self.device, 1 << 17)
            unique = struct.unpack_from("<IIQ", request)[2]
            init = struct.pack("<IIIIHHIIHHI", 7, 31, 0, 0, 12, 9, 1 << 17, 1, 0, 0, 0) + bytes(28)
            os.write(self.device, struct.pack("<IiQ", 16 + len(init), 0, unique) + init)
            while True:
                os.read(self.device, 1 << 17)
        except OSError:
            pass

    def __exit__(self, *_):
        self.libc.umount2(
            self.directory.encode(), 3
        )  # MNT_FORCE | MNT_DETACH: processes that hang there go on
        os.close(self.device)
