#include "tools/cases/rows.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tools/cases/case_spec.h"

namespace gles_delegate::cases {
namespace {

// The lists of this folder, each with its name.
constexpr std::pair<const char*, const char*> kLists[] = {
#include "case_lists.inc"
};

constexpr absl::string_view kRefused = " => ";

using Strings = std::vector<std::string>;
// Names and the values that they stand for.
using Bindings = std::map<std::string, std::string>;

// "{name}" by its value, everywhere.
std::string Replaced(std::string text, const Bindings& bindings) {
  for (const auto& [name, value] : bindings) {
    text = absl::StrReplaceAll(text, {{absl::StrCat("{", name, "}"), value}});
  }
  return text;
}

// "0..3" as 0 1 2 3; anything else as it is.
void AppendRange(absl::string_view value, Strings* values) {
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(value, absl::MaxSplits("..", 1));
  int first = 0, last = 0;
  if (!absl::SimpleAtoi(ends.first, &first) ||
      !absl::SimpleAtoi(ends.second, &last)) {
    values->emplace_back(value);
    return;
  }
  for (int i = first; i <= last; ++i) values->push_back(absl::StrCat(i));
}

class ListReader {
 public:
  explicit ListReader(absl::string_view list) : list_(list) {}

  absl::StatusOr<std::vector<Row>> Read(absl::string_view text) {
    std::vector<Row> rows;
    std::string whole;  // a row and the lines that continue it
    int line = 0, first = 0;
    for (absl::string_view one :
         absl::StrSplit(absl::StrCat(text, "\n-"), '\n')) {
      ++line;
      if (absl::StartsWith(one, "#")) continue;
      if (absl::StartsWith(one, " ")) {
        absl::StrAppend(&whole, " ", absl::StripAsciiWhitespace(one));
        continue;
      }
      if (!whole.empty()) {
        const absl::Status added = AddRow(whole, first, &rows);
        if (!added.ok()) {
          return absl::InvalidArgumentError(
              absl::StrCat(list_, ".txt:", first, ": ", added.message()));
        }
      }
      whole = std::string(absl::StripTrailingAsciiWhitespace(one));
      first = line;
    }
    return rows;
  }

 private:
  // "name = value value": a list that rows call $name.
  bool AddList(absl::string_view text) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(text, absl::MaxSplits(" = ", 1));
    if (parts.second.empty() || absl::StrContains(parts.first, ' ')) {
      return false;
    }
    lists_[std::string(parts.first)] = Values(parts.second, {});
    return true;
  }

  Strings Values(absl::string_view text, const Bindings& bindings) const {
    Strings values;
    const std::string replaced = Replaced(std::string(text), bindings);
    for (absl::string_view value : SplitOutside(replaced, ' ')) {
      absl::string_view name = value;
      const auto list = absl::ConsumePrefix(&name, "$")
                            ? lists_.find(std::string(name))
                            : lists_.end();
      if (list == lists_.end()) {
        AppendRange(value, &values);
      } else {
        values.insert(values.end(), list->second.begin(), list->second.end());
      }
    }
    return values;
  }

  // Every choice of the clauses "a=1 2" and "(x,n)=([2],1) ([3],2)"; a later
  // clause may name what an earlier one has bound.
  absl::Status Expand(const std::vector<absl::string_view>& clauses,
                      size_t next, const std::string& text, Bindings bindings,
                      Strings* cases) const {
    if (next == clauses.size()) {
      cases->push_back(Replaced(text, bindings));
      return absl::OkStatus();
    }
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(clauses[next], absl::MaxSplits('=', 1));
    absl::string_view names = absl::StripAsciiWhitespace(parts.first);
    const bool tuple = absl::ConsumePrefix(&names, "(");
    if (tuple) absl::ConsumeSuffix(&names, ")");
    const std::vector<std::string> bound =
        absl::StrSplit(Replaced(std::string(names), bindings), ',');
    for (const std::string& value : Values(parts.second, bindings)) {
      absl::string_view inner = value;
      if (tuple && !(absl::ConsumePrefix(&inner, "(") &&
                     absl::ConsumeSuffix(&inner, ")"))) {
        return absl::InvalidArgumentError(
            absl::StrCat(value, " is not a tuple"));
      }
      std::vector<absl::string_view> items = {inner};
      if (tuple) items = SplitOutside(inner, ',');
      if (items.size() != bound.size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            value, " has not the ", bound.size(), " values of ", parts.first));
      }
      for (size_t i = 0; i < items.size(); ++i) {
        bindings[bound[i]] = std::string(items[i]);
      }
      RETURN_IF_ERROR(Expand(clauses, next + 1, text, bindings, cases));
    }
    return absl::OkStatus();
  }

  absl::Status AddRow(absl::string_view text, int line,
                      std::vector<Row>* rows) {
    if (AddList(text)) return absl::OkStatus();
    const std::pair<absl::string_view, absl::string_view> refused =
        absl::StrSplit(text, absl::MaxSplits(kRefused, 1));
    const std::pair<absl::string_view, absl::string_view> expanded =
        absl::StrSplit(refused.first, absl::MaxSplits(" | ", 1));
    Strings cases;
    RETURN_IF_ERROR(
        Expand(SplitOutside(expanded.second, ';'), 0,
               absl::StrCat(absl::StripAsciiWhitespace(expanded.first),
                            kRefused, refused.second),
               {}, &cases));
    for (const std::string& whole : cases) {
      const std::pair<std::string, std::string> one =
          absl::StrSplit(whole, absl::MaxSplits(kRefused, 1));
      ASSIGN_OR_RETURN(auto spec, ParseCase(one.first));
      // One row for each op of an expansion, so that a name has its op.
      const auto row =
          std::find_if(rows->begin(), rows->end(), [&](const Row& other) {
            return other.line == line && other.op == spec.op;
          });
      Row& of_op = row != rows->end()
                       ? *row
                       : rows->emplace_back(
                             Row{std::string(list_), line, spec.op, {}, {}});
      of_op.cases.push_back(one.first);
      if (!one.second.empty()) of_op.refusals.push_back(one.second);
    }
    return absl::OkStatus();
  }

  const absl::string_view list_;
  std::map<std::string, Strings> lists_;
};

}  // namespace

std::string Row::name() const { return absl::StrCat(op, "_", list, line); }

absl::StatusOr<std::vector<Row>> RowsOf(absl::string_view list,
                                        absl::string_view text) {
  return ListReader(list).Read(text);
}

const std::vector<Row>& AllRows() {
  static const auto& all = *[] {
    auto* rows = new std::vector<Row>;
    for (const auto& [name, text] : kLists) {
      auto read = RowsOf(name, text);
      if (!read.ok()) {
        std::fprintf(stderr, "%s\n",
                     std::string(read.status().message()).c_str());
        std::abort();
      }
      rows->insert(rows->end(), read->begin(), read->end());
    }
    return rows;
  }();
  return all;
}

}  // namespace gles_delegate::cases
