# Files of a directory compiled into the program: std::span<const EmbeddedFile> <name>() and std::string_view
# <name>_digest(), the SHA-256 of what `sha256sum *.<extension>` prints in that directory; <name>_date() is the newest
# date of the form "seen": "2026-11-21" in them, empty without any.
function(rnncheck_embed target directory extension name)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${directory}/*.${extension})
  list(SORT files)
  set(generated ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  string(REPLACE ";" "|" joined "${files}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${joined}" -DNAME=${name} -DOUTPUT=${generated}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
