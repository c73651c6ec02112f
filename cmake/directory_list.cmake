# The directory is the list: every .cpp in `directory` defines one object of `type`, named as the type in lower case, in a namespace of its
# own: rnncheck::<space>::<file> (a dot as _). Generates `function()`, the table of {file, &object}; a missing object is a link error
# that names the file. Further arguments are the files of the list, in place of the whole directory.
# Generated lists grow with their directory: they are not held to the size of hand-written functions.
file(WRITE ${PROJECT_BINARY_DIR}/generated/.clang-tidy "Checks: '-*,modernize-use-override'\n")

function(rnncheck_directory_list target directory type space function header)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/${directory} ${PROJECT_SOURCE_DIR}/${directory}/*.cpp)
  if(ARGN)
    set(files ${ARGN})
  endif()
  list(SORT files)
  string(TOLOWER ${type} lower)
  set(declarations "")
  set(entries "")
  foreach(file ${files})
    string(REGEX REPLACE "^.*/|[.]cpp$" "" name ${file})
    string(MAKE_C_IDENTIFIER ${name} namespace)
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

# A rule is a page docs/rules/<id>.md with a head, and a function of that name in rnncheck::rules. Generates
# `checks_of_rules()`, the table of {id, function}; a missing function is a link error that names it.
function(rnncheck_rule_list target)
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/rules/*.md)
  list(SORT pages)
  set(declarations "")
  set(entries "")
  foreach(page ${pages})
    file(STRINGS ${page} first LIMIT_COUNT 1)
    if(NOT first STREQUAL "---")
      continue()  # about models, not about machines
    endif()
    get_filename_component(name ${page} NAME_WLE)
    string(MAKE_C_IDENTIFIER ${name} check)
    string(APPEND declarations "Verdict ${check}(const Facts&, const Matrix&);\n")
    string(APPEND entries "        {\"${name}\", rules::${check}},\n")
  endforeach()
  string(CONCAT text "#include \"rules/rule.hpp\"\n\n#include <array>\n\nnamespace rnncheck {\n\nnamespace rules {\n${declarations}}\n\n"
           "std::span<const NamedCheck> checks_of_rules() {\n    static const auto list = std::to_array<NamedCheck>({\n"
           "${entries}    });\n    return list;\n}\n\n}  // namespace rnncheck\n")
  set(generated ${PROJECT_BINARY_DIR}/generated/rules_list.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${text}" @ONLY)
  target_sources(${target} PRIVATE ${generated})
endfunction()
