// @dart=2.9
// ignore_for_file: unused_import
import 'a.dart';
import 'b.dart';
