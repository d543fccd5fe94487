# SPDX-License-Identifier: BSD-2-Clause
#
# procedures.awk CASE-FILE... - for each case what its file says of it in words:
#
#   PROCEDURE("mpa/crc/NAME", "Given ..., when ..., then ...", "the comment above")
#
# The first text is the comments of its body, in their order; the second is the
# comment directly above the case, or "".

function add(text, line)
{
	gsub(/^[ \t]*\/?\*+[ \t]?|[ \t]*\*\/[ \t]*$/, "", line)
	gsub(/^[ \t]+|[ \t]+$/, "", line)
	return text (text != "" && line != "" ? " " : "") line
}

function quoted(text)
{
	gsub(/\\/, "\\\\", text)
	gsub(/"/, "\\\"", text)
	return "\"" text "\""
}

FNR == 1 {
	file = FILENAME
	sub(/^.*cases\//, "", file)
	sub(/\.c$/, "", file)
	above = name = body = ""
	in_body = in_comment = is_below = 0
}

in_comment {
	comment = add(comment, $0)
}

!in_comment && /^[ \t]*\/\*/ {
	comment = add("", $0)
	in_comment = 1
}

in_comment {
	if ($0 ~ /\*\/[ \t]*$/) {
		in_comment = 0
		if (in_body)
			body = body (body != "" ? " " : "") comment
		else
			above = comment ~ /^---/ ? "" : comment
	}
	next
}

/^CASE(_EACH)?\(/ {
	name = $0
	sub(/^[A-Z_]*\(/, "", name)
	sub(/,.*/, "", name)
	about = above
	is_below = name == ""
	next
}

# A name that did not fit beside the macro's.
is_below {
	name = $1
	sub(/,.*/, "", name)
	is_below = 0
}

/^[{]/ && name != "" {
	in_body = 1
	body = ""
}

/^[}]/ && in_body {
	printf "PROCEDURE(%s, %s, %s)\n", quoted(file "/" name), quoted(body),
		quoted(about)
	in_body = 0
	name = ""
}

# What is above something else is not above the case.
/^[^ \t]/ && name == "" {
	above = ""
}
