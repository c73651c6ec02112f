"""A root directory and an environment in which rnncheck meets the simulated libraries."""

import os
import shutil

SYSTEM = "/usr/lib/x86_64-linux-gnu"
HEALTHY_FILES = {
    "/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n"
    "GCC version:  gcc version 12.2.0\n",
    "/sys/module/nvidia/version": "550.54.14\n",
    "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
    "/sys/bus/pci/devices/0000:01:00.0/class": "0x030000\n",
    "/sys/bus/pci/devices/0000:01:00.0/device": "0x2204\n",
    "/etc/os-release": 'PRETTY_NAME="Simulated Linux 1"\n',
    "/proc/sys/kernel/osrelease": "6.1.0-sim\n",
    "/dev/nvidiactl": "",
    "/dev/nvidia0": "",
    "/dev/nvidia-uvm": "",
}
HEALTHY_SIM = "gpus=1 cc=8.6 driver=550.54.14 cuda=12.4"


def build_root(scenario, root, sim):
    """A directory that looks like a machine with simulated libraries; run_scenarios.py describes what a scenario may say."""
    shutil.rmtree(root, ignore_errors=True)
    for path, text in {**HEALTHY_FILES, **scenario.get("files", {})}.items():
        if text is None:
            continue
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(0o4755 if target.name == "nvidia-modprobe" else 0o666)
    for directory, flavours in scenario.get("libraries", {SYSTEM: ["base", "cudnn9"]}).items():
        target = root / directory.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        for flavour in flavours:
            for library in sorted((sim / flavour).iterdir()):
                if not os.path.lexists(target / library.name):
                    shutil.copy(library, target / library.name, follow_symlinks=False)
    for path in scenario.get("remove", []):
        removed = root / path.lstrip("/")
        removed.resolve().unlink()
        removed.unlink(missing_ok=True)


def environment_of(scenario, root):
    return {
        "LD_LIBRARY_PATH": str(root) + SYSTEM,
        "SIM": HEALTHY_SIM + " " + scenario.get("sim", "").replace("{root}", str(root)),
        "HOME": "/nonexistent",
        "PATH": "/nonexistent",
        "CUDA_HOME": "",
        "CUDA_PATH": "",
        **scenario.get("environment", {}),
    }
