"""gles_delegate's library for Conan 2, of the clone that this file is in:

    conan create packaging/conan -o "&:system_packages=True"

system_packages: flatbuffers, xxHash, and the headers of EGL and OpenGL ES are those of
the system (tried on Debian 12). Otherwise they are ConanCenter's (untried).
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, cmake_layout
from conan.tools.files import copy, get, load

ABSEIL = ("http://deb.debian.org/debian/pool/main/a/abseil/abseil_20220623.1.orig.tar.gz",
          "abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe")


class GlesDelegate(ConanFile):
    name = "gles_delegate"
    description = "TensorFlow Lite delegate on OpenGL ES 3.1 compute shaders"
    license = "Apache-2.0 AND MIT AND BSD-2-Clause"
    topics = ("tflite", "litert", "gpu", "opengl")
    settings = "os", "compiler", "build_type", "arch"
    options = {"system_packages": [True, False]}
    default_options = {"system_packages": False}
    generators = "CMakeToolchain", "CMakeDeps"
    package_type = "shared-library"

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "../../CMakeLists.txt"))
        self.version = text.split("project(gles_delegate VERSION ")[1].split()[0]

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "base/*", "cmake/*", "debian/copyright", "delegate/*",
                        "egl/*", "gl_shaders/*", "quant/*", "third_party/tflite_c/*",
                        "third_party/tflite_schema/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def requirements(self):
        if not self.options.system_packages:
            for reference in ("flatbuffers/23.5.26", "xxhash/0.8.2", "egl/system",
                              "opengl/system"):
                self.requires(reference)

    def build_requirements(self):
        if not self.options.system_packages:
            self.tool_requires("flatbuffers/<host_version>")

    def source(self):
        get(self, ABSEIL[0], sha256=ABSEIL[1], destination="abseil", strip_root=True)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        switches = {"UNITY": "ON", "LITERT": "OFF", "BUILD_TESTS": "OFF", "BUILD_TOOLS": "OFF",
                    "BUILD_BENCHES": "OFF"}
        cmake.configure(variables={
            "ABSEIL_SOURCE_DIR": os.path.join(self.source_folder, "abseil"),
            "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
            **{f"GLES_DELEGATE_{name}": value for name, value in switches.items()}})
        cmake.build()

    def package(self):
        for component in ("library", "development", "license"):
            CMake(self).install(component=component)

    def package_info(self):
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package brings its own files
        self.cpp_info.builddirs = ["lib/cmake/gles_delegate"]
        self.cpp_info.libs = ["gles_delegate"]
