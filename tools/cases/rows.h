// The lists of cases, tools/cases/*.txt: each row says all of a model, or of
// several that differ by what its lists hold. docs/conformance.md explains the
// form, with examples.
#ifndef GLES_DELEGATE_TOOLS_CASES_ROWS_H_
#define GLES_DELEGATE_TOOLS_CASES_ROWS_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::cases {

struct Row {
  std::string list;  // "movement": the file's name
  int line = 0;      // in it, from 1
  std::string op;    // what the row is about
  // Each model as a line that needs no list: "SPLIT axis=1 x=[4,6]
  // num_splits=2" (case_spec.h).
  std::vector<std::string> cases;
  // Not empty: no model runs; of each case, what the parser's message contains.
  std::vector<std::string> refusals;

  std::string name() const;  // "SPLIT_movement12"; distinct
  friend std::ostream& operator<<(std::ostream& out, const Row& row) {
    return out << row.list << ".txt:" << row.line;
  }
};

// The rows of one list. kInvalidArgument: a wrong row, with its line.
absl::StatusOr<std::vector<Row>> RowsOf(absl::string_view list,
                                        absl::string_view text);

// Those of all lists. Ends the process where one is wrong: the lists are part
// of the program.
const std::vector<Row>& AllRows();

}  // namespace gles_delegate::cases

#endif  // GLES_DELEGATE_TOOLS_CASES_ROWS_H_
