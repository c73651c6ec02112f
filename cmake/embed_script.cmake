# Bytes instead of text, so that no character of a file can upset CMake or the compiler.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" FILES "${FILES}")
set(arrays "")
set(entries "")
set(sums "")
set(dates "")
foreach(file ${FILES})
  get_filename_component(stem "${file}" NAME_WLE)
  string(MAKE_C_IDENTIFIER "${NAME}_${stem}" array)
  get_filename_component(full "${file}" NAME)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char ${array}_bytes[] = {\n${bytes}0};\n")
  file(SHA256 "${file}" sum)
  string(APPEND entries "        {\"${stem}\", {reinterpret_cast<const char*>(${array}_bytes), sizeof ${array}_bytes - 1}, \"${sum}\"},\n")
  string(APPEND sums "${sum}  ${full}\n")
  file(STRINGS "${file}" seen REGEX "\"seen\": *\"")
  string(REGEX MATCHALL "\"seen\": *\"[0-9-]+\"" seen "${seen}")
  list(APPEND dates ${seen})
endforeach()
string(SHA256 digest "${sums}")
list(SORT dates ORDER DESCENDING)  # all begin alike, so the newest comes first
list(POP_FRONT dates newest)
string(REGEX REPLACE ".*\"([0-9-]+)\"" "\\1" newest "${newest}")
string(CONCAT text
  "#include <array>\n#include <span>\n\n#include \"base/directory_list.hpp\"\n\nnamespace rnncheck {\n\n"
  "namespace {\n${arrays}}\n\n"
  "std::span<const EmbeddedFile> ${NAME}() {\n    static const auto files = std::to_array<EmbeddedFile>({\n${entries}    });\n"
  "    return files;\n}\n\n"
  "std::string_view ${NAME}_digest();\nstd::string_view ${NAME}_digest() { return \"${digest}\"; }\n"
  "std::string_view ${NAME}_date();\nstd::string_view ${NAME}_date() { return \"${newest}\"; }\n\n}  // namespace rnncheck\n")
file(WRITE "${OUTPUT}" "${text}")
