//! Recognizes comments about a whole file, in any language: licenses, markers of generated code,
//! and modelines.
//!
//! Input: the text of a comment at the start of a file. Comments that only one language or its
//! tools recognize are `@file` in its `attached.scm`.

use std::sync::LazyLock;

use regex::Regex;

/// Matches the start of a license line.
static LICENCE: LazyLock<Regex> = LazyLock::new(|| {
    line_that_begins_with(&[
        r"(?:©|ⓒ|\(c\))\s*[0-9]{4}",
        r"(?:copyright|copr\.)[:,\s]\s*(?:\(c\)|©|ⓒ|&copy;|[0-9]{4}|by\b)",
        r"(?-i:Copyright|COPYRIGHT):?\s+(?-i:[A-Z])",
        r"see (?-i:Copyright) for\b",
        r"the author disclaims copyright",
        r"spdx-[a-z]+(?:-[a-z]+)*:",
        r"[@\\](?:licen[sc]e|copyright)\b",
        r"(?-i:[Ll]icen[sc]e|LICEN[SC]E):\s+(?-i:[A-Z])",
        r"(?:dual[- ])?licen[sc]ed (?:under|as|to the)\b",
        r"permission (?:is hereby granted|to use, copy)\b",
        r"redistribution and use in source\b",
        r"use of this (?:source code|software|file) is (?:governed|subject)\b",
        r"all rights reserved\b",
        r"(?:this|the|all) (?:(?:source|original) )?(?:code|file|program|software|library|work|package|script)\b.* (?:licen[sc]ed (?:under|with)\b|(?:distributed|released) under\b.*(?:licen[sc]e|terms))",
        r"this (?:source code form|file|program|software|work) is (?:subject to the terms|governed by|(?:placed )?in the public domain)\b",
        r".+ is free software[;:.,]",
        r"this file is part of\b",
        r"part of .+, under the\b.* licen[sc]e\b",
        r"(?:distributed|released|published|available) under (?:the|a|an)\b.* licen[sc]e\b",
        r"(?:the )?(?-i:MIT|BSD|ISC|Apache|GNU|Mozilla|Boost|zlib)\b(?: (?-i:[A-Z])\w*)* licen[sc]e(?:\s*\(.*\)|,? v(?:ersion )?[0-9.]+)?[^\w]*$",
        r"see (?:the )?(?:.* )?(?-i:LICEN[SC]E|COPYING)\b",
    ])
});

/// Matches the start of a line that marks generated code. `DO NOT EDIT` must be in capitals, as
/// generators write it.
static GENERATED: LazyLock<Regex> = LazyLock::new(|| {
    line_that_begins_with(&[
        r"(?:this (?:file|code) (?:is|was) )?@generated\b",
        r"(?:(?:this|source|code|file|is|was|has|been|an?|auto|automatically|machine)[ -]?)*generated\b.*\b(?-i:DO NOT (?:EDIT|MODIFY))\b",
        r"(?-i:DO NOT (?:EDIT|MODIFY)\b[^a-z]*)$",
        r"(?:auto-?|automatically )generated\b.*\bdo not (?:edit|modify)\b",
        r"this (?:(?:source )?file|code|module|script) (?:is|was|has been) (?:auto-?|automatically |machine[- ])?generated\b",
    ])
});

/// Matches a modeline of Emacs or Vim.
static MODELINE: LazyLock<Regex> = LazyLock::new(|| {
    let mode = r"-\*-\s*(?:[\w+-]+|.*[\w-]+\s*:.*?)\s*-\*-";
    let options =
        r"(?:^|\s)(?:vim?|ex)(?:[<=>]?[0-9]+)?:\s*(?:set?\s[a-z\s]+:|(?:.*[\s:])?[a-z]{2,}=)";
    regex(&format!("{mode}|{options}"))
});

fn line_that_begins_with(beginnings: &[&str]) -> Regex {
    regex(&format!("(?i)^(?:{})", beginnings.join("|")))
}

/// Compiles a pattern with ASCII character classes, which match three times as fast.
fn regex(pattern: &str) -> Regex {
    let pattern = pattern
        .replace(r"\b", r"(?-u:\b)")
        .replace(r"\s", r"[ \t]")
        .replace(r"\w", "[A-Za-z0-9_]");
    Regex::new(&pattern).expect("the patterns above are regular expressions")
}

/// Returns whether a comment is a license or a part of one.
pub(super) fn is_licence(comment: &str) -> bool {
    lines(comment).any(|line| LICENCE.is_match(line))
}

/// Returns whether a comment marks generated code or contains a modeline.
pub(super) fn is_about_file(comment: &str) -> bool {
    let is_modeline = || comment.lines().any(|line| MODELINE.is_match(line));
    lines(comment).any(|line| GENERATED.is_match(line)) || is_modeline()
}

/// Returns the lines of a comment without their comment markers.
fn lines(comment: &str) -> impl Iterator<Item = &str> {
    comment.lines().map(|line| {
        // `(*` begins an OCaml comment, `(c)` a license.
        let of_sign = |c: char| !(c.is_alphanumeric() || matches!(c, '@' | '\\' | '(' | '©' | 'ⓒ'));
        let bare = line.trim_start_matches(of_sign);
        let bare = bare.strip_prefix("(*").unwrap_or(bare);
        bare.trim_start_matches(of_sign).trim_end()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(is: fn(&str) -> bool, comments: &[&str], expected: bool) {
        for comment in comments {
            assert_eq!(is(comment), expected, "{comment}");
        }
    }

    #[test]
    fn a_licence_is_known_by_how_its_lines_begin() {
        let licences = [
            "// Copyright 2024 The Shop Authors. All rights reserved.",
            "/*\n * Tea, a library for tea\n * Copyright (c) 2001, 2024 A. Leaf <a@example.org>\n */",
            "# Copyright: 2024, Tea Ltd.",
            "# Copyright Contributors to the Tea project",
            "(* Copyright (C) 2024 Tea *)",
            "-- (c) 2024 Tea",
            "/* © 2024 Tea */",
            "# SPDX-License-Identifier: MIT",
            "# SPDX-FileCopyrightText: 2024 Tea",
            "/*! @license MIT */",
            "/// \\copyright GNU Public License",
            "# License: GPL-3.0-or-later",
            "// Licensed under the Apache License, Version 2.0 (the \"License\");",
            "// Licensed to the Apache Software Foundation (ASF) under one",
            "// Use of this source code is governed by a BSD-style",
            "// This source code is licensed under the MIT license found in the",
            "// This Source Code Form is subject to the terms of the Mozilla Public",
            "// Part of the LLVM Project, under the Apache License v2.0 with LLVM Exceptions.",
            "// Distributed under the Boost Software License, Version 1.0.",
            "# Tea is free software; you can redistribute it and/or modify",
            "# This file is part of Tea.",
            "// The MIT License (MIT)",
            "// Apache License, Version 2.0",
            "// See LICENSE for details.",
            "<!-- Permission is hereby granted, free of charge -->",
        ];
        check(is_licence, &licences, true);
        let ordinary = [
            "# Checks that the license of a user has not expired.",
            "// Copyright holders of a file, sorted.",
            "// License of the current user, if there is one.",
            "// Returns the copyright line: \"Copyright 2024 Tea\".",
            "// Frees what is licensed under a name.",
            "/// The licence plate of a car.",
            "// The buffer is released under the lock of the list.",
            "// The file handle is released under the lock, with its buffer.",
            "// See copyright.py for the other half.",
            "// MIT, BSD and Apache license names, sorted.",
            "// Parses SPDX expressions such as `MIT OR Apache-2.0`.",
            "// Reads LICENSE and returns its first line.",
            "// (c) is the third item of the list.",
        ];
        check(is_licence, &ordinary, false);
    }

    #[test]
    fn marks_of_generated_code_and_modelines_are_about_the_file() {
        let about = [
            "// Code generated by protoc-gen-go. DO NOT EDIT.",
            "// Generated by the protocol buffer compiler.  DO NOT EDIT!",
            "# Automatically generated file; do not edit.",
            "/*\n * Autogenerated by Tea Compiler\n *\n * DO NOT EDIT UNLESS YOU ARE SURE\n */",
            "// This file was auto-generated by tea.",
            "// @generated by tea",
            "// This file is @generated by tea.",
            "/* -*- mode: c; tab-width: 8 -*- */",
            "//===-- tea.h - Tea ---*- C++ -*-===//",
            "# vim: set ts=4 sw=4 et:",
            "# vim:ft=python",
            "/* vim: noet ts=8 */",
            "/* ex: ts=8 */",
            "# vim: set et:",
            "// THIS FILE IS AUTO-GENERATED, DO NOT MODIFY IT",
            "// GENERATED CODE - DO NOT MODIFY BY HAND",
        ];
        check(is_about_file, &about, true);
        let ordinary = [
            "// Renders text; do not edit the buffer while it runs.",
            "// Renders text. DO NOT EDIT the buffer while it runs.",
            "// Writes generated code; do not edit it by hand.",
            "// Marks nodes with @generated.",
            "// Opens vim: the editor of the user.",
            "// Splits a header at -*- and returns its fields.",
            "// Generated ids start at 1.",
            "// Opens vim: set up the buffer first.",
            "// Whether a text says \"Code generated by tea. DO NOT EDIT.\"",
        ];
        check(is_about_file, &ordinary, false);
    }
}
