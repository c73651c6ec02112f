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

/// What stands in one table about a row of another: only a table read to its end can contradict.
template <class R>
bool is_whole(const Readable<R>& table) {
    return !table.rows.empty() && table.rows.size() == table.written;
}

/// Keys that stand twice and control characters. Text that is no JSON is left to the reader.
void check_text(std::string_view text, const Complaints& complain);

/// Sources that were seen after `latest_day`, unless most were: then the clock is wrong.
void check_dates(const TableFiles& files, const std::string& latest_day, std::vector<Complaint>& all);

/// Flavour and command against the toolkit of the row.
void check_install(const FrameworkBuild& row, std::size_t number, const Complaints& complain);

/// A Python that there was not when the source was seen.
void check_python(const std::optional<Version>& python, const char* column, const Source& source, std::size_t number,
                  const Complaints& complain);

/// Parts of check_across: cuDNN's builds, defects, offers and limits; frameworks; logs.
void check_rnn(const TableFiles& files, std::vector<Complaint>& all);
void check_frameworks(const TableFiles& files, std::vector<Complaint>& all);
void check_logs(const TableFiles& files, std::vector<Complaint>& all);

/// What tables say about each other. A table that could not be read is left out: its own complaints tell that.
void check_across(const TableFiles& files, std::vector<Complaint>& all);

template <class R>
Readable<R> read(const TableFiles& files, const std::string& stem) {
    std::vector<TableFault> told_by_the_reader;
    return {read_all<R>(files, stem, told_by_the_reader), stem};
}

}  // namespace rnncheck::verifying
