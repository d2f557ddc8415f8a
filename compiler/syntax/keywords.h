// Private to syntax/: which words are names, and which start a statement.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace oocc {

/// A name, or a keyword that the parser takes for one where it expects one.
bool isWord(size_t tokenType);
bool isStatementKeyword(size_t tokenType);
/// Of any keyword, as the grammar has it.
std::string keywordSpelling(size_t tokenType);
/// What such a statement looks like; null of anything else.
const char *statementExample(size_t tokenType);
/// The statement that other languages begin with this word, by its example; null of any other word.
const char *statementElsewhere(const std::string &word);
/// The spelling of all of them.
const std::vector<std::string> &statementKeywords();
/// Those that start a part of a statement: "every", "from".
const std::vector<std::string> &clauseKeywords();

} // namespace oocc
