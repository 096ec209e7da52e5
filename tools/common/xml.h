// Text inside XML and HTML.
#ifndef GLES_DELEGATE_TOOLS_COMMON_XML_H_
#define GLES_DELEGATE_TOOLS_COMMON_XML_H_

#include <string>

namespace gles_delegate {

// & < > " as XML has them; other control characters than newline are dropped.
std::string XmlEscaped(const std::string& text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_XML_H_
