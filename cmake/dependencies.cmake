# Third parties: the system's packages, else fetched by hash. Only Catch2 may be of major 2 (Debian 12) or 3.
include(FetchContent)
set(CMAKE_UNITY_BUILD OFF)  # the sources of others are compiled one at a time
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  FIND_PACKAGE_ARGS 3.10)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz
  URL_HASH SHA256=aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22
  FIND_PACKAGE_ARGS 2.1)
FetchContent_MakeAvailable(nlohmann_json CLI11)

# RE2's static library, so that the program needs glibc alone, with the libraries of Abseil that versions since 2023 need; else our own build.
add_library(rnncheck_re2 INTERFACE)
find_package(Threads REQUIRED)
find_package(PkgConfig)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(RE2 QUIET re2)
endif()
set(re2_archives "")
foreach(name ${RE2_STATIC_LIBRARIES})
  if(name MATCHES "^(re2$|absl_)")
    find_library(ARCHIVE_OF_${name} lib${name}.a)
    list(APPEND re2_archives ${ARCHIVE_OF_${name}})
  else()
    list(APPEND re2_archives ${name})  # the compiler's own, e.g. atomic
  endif()
endforeach()
if(re2_archives AND NOT re2_archives MATCHES "NOTFOUND")
  target_include_directories(rnncheck_re2 SYSTEM INTERFACE ${RE2_INCLUDE_DIRS})
  target_link_libraries(rnncheck_re2 INTERFACE -Wl,--start-group ${re2_archives} -Wl,--end-group Threads::Threads)
else()
  set(RE2_BUILD_TESTING OFF)
  FetchContent_Declare(re2
    URL https://github.com/google/re2/archive/refs/tags/2022-06-01.tar.gz
    URL_HASH SHA256=f89c61410a072e5cbcf8c27e3a778da7d6fd2f2b5b1445cd4f4508bee946ab0f)
  FetchContent_MakeAvailable(re2)
  target_include_directories(rnncheck_re2 SYSTEM INTERFACE ${re2_SOURCE_DIR})
  target_link_libraries(rnncheck_re2 INTERFACE re2::re2)
endif()

# zlib's static library, for the same reason, else the shared one of the system; it unpacks archives of models.
find_library(ZLIB_ARCHIVE NAMES libz.a z)
find_path(ZLIB_HEADERS zlib.h)
add_library(rnncheck_zlib INTERFACE)
if(ZLIB_HEADERS AND ZLIB_ARCHIVE)
  target_include_directories(rnncheck_zlib SYSTEM INTERFACE ${ZLIB_HEADERS})
  target_link_libraries(rnncheck_zlib INTERFACE ${ZLIB_ARCHIVE})
else()
  FetchContent_Declare(zlib
    URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
    URL_HASH SHA256=9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23
    SOURCE_SUBDIR none)  # its own CMakeLists.txt also wants to build a DLL and programs
  FetchContent_MakeAvailable(zlib)
  file(GLOB zlib_sources ${zlib_SOURCE_DIR}/*.c)
  list(FILTER zlib_sources EXCLUDE REGEX "/gz[a-z]+[.]c$")  # reading and writing of .gz files
  add_library(zlib STATIC ${zlib_sources})
  target_include_directories(rnncheck_zlib SYSTEM INTERFACE ${zlib_SOURCE_DIR})
  target_link_libraries(rnncheck_zlib INTERFACE zlib)
endif()

# Reads the tables, and the reports of a fleet, which are many: RapidJSON is five times as fast as nlohmann/json, and its headers are all of it.
if(FETCHCONTENT_SOURCE_DIR_RAPIDJSON)
  set(RAPIDJSON_HEADERS ${FETCHCONTENT_SOURCE_DIR_RAPIDJSON}/usr/include)
endif()
find_path(RAPIDJSON_HEADERS rapidjson/document.h)
if(NOT RAPIDJSON_HEADERS)
  message(FATAL_ERROR "RapidJSON's headers are missing: install rapidjson-dev (Debian, Ubuntu) or rapidjson-devel (Fedora)")
endif()
add_library(rnncheck_rapidjson INTERFACE)
target_include_directories(rnncheck_rapidjson SYSTEM INTERFACE ${RAPIDJSON_HEADERS})

# Reads profiles: headers alone, too.
if(FETCHCONTENT_SOURCE_DIR_TOMLPLUSPLUS)
  set(TOMLPLUSPLUS_HEADERS ${FETCHCONTENT_SOURCE_DIR_TOMLPLUSPLUS}/usr/include)
endif()
find_path(TOMLPLUSPLUS_HEADERS toml++/toml.h)
if(NOT TOMLPLUSPLUS_HEADERS)
  FetchContent_Declare(tomlplusplus
    URL https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.4.0.tar.gz
    URL_HASH SHA256=8517f65938a4faae9ccf8ebb36631a38c1cadfb5efa85d9a72e15b9e97d25155
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(tomlplusplus)
  set(TOMLPLUSPLUS_HEADERS ${tomlplusplus_SOURCE_DIR}/include)
endif()
add_library(rnncheck_tomlplusplus INTERFACE)
target_include_directories(rnncheck_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_HEADERS})
target_compile_definitions(rnncheck_tomlplusplus INTERFACE
  TOML_HEADER_ONLY=1 TOML_ENABLE_FORMATTERS=0 TOML_ENABLE_WINDOWS_COMPAT=0)

# Formats text; its headers are all of it: a shared libfmt would be one more thing to be missing on the machine under
# examination.
if(FETCHCONTENT_SOURCE_DIR_FMT)
  set(FMT_HEADERS ${FETCHCONTENT_SOURCE_DIR_FMT}/include)
endif()
find_path(FMT_HEADERS fmt/format.h)
if(NOT FMT_HEADERS)
  FetchContent_Declare(fmt
    URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
    URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
    SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(fmt)
  set(FMT_HEADERS ${fmt_SOURCE_DIR}/include)
endif()
add_library(rnncheck_fmt INTERFACE)
target_include_directories(rnncheck_fmt SYSTEM INTERFACE ${FMT_HEADERS})
target_compile_definitions(rnncheck_fmt INTERFACE FMT_HEADER_ONLY=1)

if(RNNCHECK_TESTS)
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND)
    FetchContent_Declare(Catch2
      URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.5.2.tar.gz
      URL_HASH SHA256=269543a49eb76f40b3f93ff231d4c24c27a7e16c90e47d2e45bcc564de470c6e)
    FetchContent_MakeAvailable(Catch2)
    list(APPEND CMAKE_MODULE_PATH ${Catch2_SOURCE_DIR}/extras)
  endif()
endif()
unset(CMAKE_UNITY_BUILD)
