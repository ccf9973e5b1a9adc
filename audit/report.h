// The result of an audit for a reader: report.md.

#ifndef EXHIBIT_AUDIT_REPORT_H_
#define EXHIBIT_AUDIT_REPORT_H_

#include <string>
#include <string_view>

#include "manifests/json.h"

namespace exhibit {

// Markdown, made from the JSON value of an audit and from nothing else. Text
// that the subject's author wrote cannot become markup.
std::string RenderReport(const Json& audit);

// `text` with every character that could be markup escaped.
std::string MarkdownText(std::string_view text);

}  // namespace exhibit

#endif  // EXHIBIT_AUDIT_REPORT_H_
