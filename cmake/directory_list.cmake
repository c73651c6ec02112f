# The directory is the list: every .cpp in `directory` defines one object of `type`, named as the type in lower case, in a namespace of its
# own: rnncheck::<space>::<file> (a dot as _). Generates `function()`, the table of {file, &object}; a missing object is a link error
# that names the file.
# Generated lists grow with their directory: they are not held to the size of hand-written functions.
file(WRITE ${PROJECT_BINARY_DIR}/generated/.clang-tidy "Checks: '-*,modernize-use-override'\n")

function(rnncheck_directory_list target directory type space function header)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${directory} ${PROJECT_SOURCE_DIR}/${directory}/*.cpp)
  list(SORT files)
  string(TOLOWER ${type} lower)
  set(declarations "")
  set(entries "")
  foreach(file ${files})
    string(REGEX REPLACE "^.*/|[.]cpp$" "" name ${file})
    string(MAKE_C_IDENTIFIER ${name} namespace)  # tf_windows_no_gpu_since_2.11
    string(APPEND declarations "namespace ${space}::${namespace} { extern const ${type} ${lower}; }\n")
    string(APPEND entries "        {\"${name}\", &${space}::${namespace}::${lower}},\n")
  endforeach()
  string(CONCAT text "#include \"${header}\"\n\n#include <array>\n\nnamespace rnncheck {\n\n${declarations}\n"
           "std::span<const Named<${type}>> ${function}() {\n    static const auto list = std::to_array<Named<${type}>>({\n"
           "${entries}    });\n    return list;\n}\n\n}  // namespace rnncheck\n")
  set(generated ${PROJECT_BINARY_DIR}/generated/${space}_list.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${text}" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
