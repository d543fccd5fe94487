/* SPDX-License-Identifier: BSD-2-Clause */
/* The style of the pages: on a screen, light or dark, and on paper. */
#ifndef REPORTS_HTML_STYLE_H
#define REPORTS_HTML_STYLE_H

extern const char page_style[];

#endif
