#include "report/which_text.hpp"

#include "report/layout.hpp"
#include "report/text_parts.hpp"

namespace rnncheck {

namespace {

std::string not_found(const LibraryChoice& choice) {
    return choice.by_dlopen ? "not found; it matters only if the program asks for it" : "not found";
}

std::string paragraph(const LibraryChoice& choice, const Style& style) {
    std::string text = '\n' + inked(style, Ink::bold, shown(choice.soname)) + '\n';
    const Ink ink = choice.by_dlopen ? Ink::yellow : Ink::red;
    text += label("copy", 6) + (choice.path ? shown(*choice.path) : inked(style, ink, not_found(choice))) + '\n';
    text += wrapped(label("why", 6), shown(choice.why));
    if (choice.needed_by)
        text += label(choice.by_dlopen ? "opened by" : "needed by", 6) + "  " + shown(*choice.needed_by) + '\n';
    for (const auto& candidate : choice.candidates) {
        text += label("not", 6) + shown(candidate.path) + '\n';
        text += wrapped(label("", 6), shown(candidate.why_not));
    }
    return text;
}

}  // namespace

std::string which_text(const WhichDocument& document, const Style& style) {
    std::string text = wrapped("", shown(document.target));
    for (const auto& note : document.notes) text += wrapped("  note: ", shown(note));
    if (document.libraries.empty()) text += "\nno such library is needed or opened by name\n";
    for (const auto& choice : document.libraries) text += paragraph(choice, style);
    return text;
}

}  // namespace rnncheck
