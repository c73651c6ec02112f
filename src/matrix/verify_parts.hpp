// The parts of verify().
#pragma once

#include "matrix/table_reader.hpp"
#include "matrix/tables.hpp"
#include "matrix/verify.hpp"

namespace rnncheck::verifying {

/// A table as read, its faulty rows left out.
template <class R>
struct Readable : ReadRows<R> {
    std::string stem;
    TableHead head;
};

/// Collects complaints about one table.
class Complaints {
  public:
    Complaints(std::vector<Complaint>& all, std::string table) : all_(all), table_(std::move(table)) {}
    void operator()(std::size_t row, const std::string& text) const;

  private:
    std::vector<Complaint>& all_;
    std::string table_;
};

/// Sources, notes, order, ends of ranges, overlaps, holes, and what else can be told from one table alone.
template <class R>
void check_table(const Readable<R>& table, const Complaints& complain);

/// What tables say about each other. A table that could not be read is left out: its own complaints tell that.
void check_across(const TableFiles& files, std::vector<Complaint>& all);

template <class R>
Readable<R> read(const TableFiles& files, const std::string& stem) {
    std::vector<TableFault> told_by_the_reader;
    return {read_all<R>(files, stem, told_by_the_reader), stem, read_head(files, stem)};
}

}  // namespace rnncheck::verifying
