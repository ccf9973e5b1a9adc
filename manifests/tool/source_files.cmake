# exhibit_source_files(OUT): the project's own sources as paths relative to its
# top, sorted bytewise. They are frozen into every run, so each must be a path
# that may stand there: "sources/exhibit/" comes before it, and a run's paths
# have at most 96 bytes (manifests/content_id.h, IsRunPath). Dot files at the top
# stay out: no build needs them, and `find *`, by which a reviewer takes the
# digest, does not see them.
function(exhibit_source_files out)
  set(top CMakeLists.txt CMakePresets.json LICENSE README.md exhibit)
  set(rooms compiler capture replay audit archive manifests tests)
  list(TRANSFORM top PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM rooms PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM rooms APPEND "/*")
  # A list kept by hand would miss the very file that matters.
  file(GLOB top_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${top})
  file(GLOB_RECURSE room_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ${rooms})
  set(files ${top_files} ${room_files})
  list(FILTER files EXCLUDE REGEX "(^|/)__pycache__/")
  list(SORT files COMPARE STRING CASE SENSITIVE)
  foreach(path IN LISTS files)
    string(LENGTH "${path}" path_bytes)
    if(NOT path MATCHES "^[A-Za-z0-9._/-]+$" OR path MATCHES "(^|/)-"
        OR path MATCHES "(^|/)\\.\\.?(/|$)" OR path_bytes GREATER 80)
      message(FATAL_ERROR "This source cannot be frozen into a run: \"${path}\". "
        "A path takes at most 80 bytes of [A-Za-z0-9._/-], and no part may start with \"-\".")
    endif()
    if(IS_SYMLINK "${PROJECT_SOURCE_DIR}/${path}")
      message(FATAL_ERROR "This source is a symbolic link: \"${path}\"; a run holds regular files only.")
    endif()
  endforeach()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()
