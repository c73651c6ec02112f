// What `which` prints.
#pragma once

#include <vector>

#include "facts/choices.hpp"
#include "report/documents.hpp"

namespace rnncheck {

/// `rnncheck which TARGET --json`.
struct WhichDocument {
    int schema = 1;
    ProgramStamp tool;
    std::string target;
    std::vector<std::string> notes;
    std::vector<LibraryChoice> libraries;

    template <class Self, class Visit>
    static void fields(Self& self, Visit&& visit) {
        visit("schema", self.schema, "number of this form of the document");
        visit("tool", self.tool, "who tells");
        visit("target", self.target, "the file, the process, or a plain program");
        visit("notes", self.notes, "what holds for the whole target, and what could not be told");
        visit("libraries", self.libraries, "one entry per name asked for, in the order of asking");
    }
};

}  // namespace rnncheck
