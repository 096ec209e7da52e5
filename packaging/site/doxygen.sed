# Makes the header's comments Doxygen's: its INPUT_FILTER.
1i /// \\file
# Code is indented by two more spaces.
s#^//   +([^ ])#///     \1#
# A line of its own, at the end of a line of code.
s#^( *)//([^/]|$)#\1///\2#
s#^([^/]*[;,}{)0-9][^/]*[^:/])//([^/].*)$#\1///<\2#
# Paragraphs of the comment that begins the header.
s#^/// (Context|Threads|Errors): #///\n/// **\1:** #
