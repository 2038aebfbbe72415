/// @file
/// Lists and what is in them.
/** @file list.c */
static int first;
static int second;
