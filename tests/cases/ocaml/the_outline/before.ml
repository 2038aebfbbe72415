#!/usr/bin/env ocaml
(** The orders of a small shop. *)

open Base
open! Stdio
include Price.Make (Taxes)

module L = List

(** How many lines an order may have. *)
let limit = 20

let rate : float = -1.19
let ( +! ) a b = a +. b
let mark = 'a' and newline = '\n'

type 'a line = 'a * int
type +'a pair = Pair of 'a * 'a constraint 'a = int
type any = ..
type any += Other | Known of { id : int }

(** An order, and what is in it. *)
type order = {
  customer : string;  (** who pays *)
  mutable lines : string line list;
  note : string option;
}
[@@deriving show, eq]

type payment =
  | Cash
  | Card of string * int
      (** with its number *)
  | Both of { cash : int; card : int }
  | Gift : 'a . 'a -> payment

type color = [ `Red | `Green of int ]
type wide = [> `Blue | color ]
type 'a opened = < name : string; .. > as 'a
type handler = ?size:int -> order -> (module S) -> #point Base.List.t

exception Empty of string

external now : unit -> float = "shop_now"

module type S = sig
  type t

  val make : string -> t
  (** Makes one. *)

  val count : int

  module Inner : sig end

  include Base.S with type t := t and module M = L
end

module Make (X : S) : S with type t = X.t = struct
  include X

  let count = 0
  let next x = x + 1
  let pick = function _ -> 1
end

class counter = object
  method run x =
    match x with
    | 0 ->
      stop ();
      start ()
    | _ -> ()
  method go = stop (); start ()
end

module rec A : S = X
and B : S = Y

type even = Zero | Next of odd
and odd = Step of even

class left = object end
and right = object end

module Typed = (val (module X : S) : S)
module F = functor (X : S) -> struct end

let%test "nothing costs nothing" = total [] = 0

(** Adds a line. *)
let add order ?(count = 1) ~price ~tax:(t : int) _ =
  let open L in
  let line = (order.customer, count) in
  assert (count > 0);
  order.lines <- line :: order.lines;
  Stdio.printf "%s: %d\n" order.customer count;
  order

let rec fact n = if n <= 1 then 1 else n * fact (n - 1)
and double n = 2 ** n

let label = function
  | Cash -> "cash"
  | Card (name, n) when n > 0 && not (name = "") -> name ^ "!"
  | Both { cash; card = _ } -> string_of_int cash
  | Gift _ | (exception Not_found) -> .

let total prices =
  match prices with
  | [] -> 0
  | [ a; b ] -> a + b
  | [| _ |] | lazy _ -> 1
  | (first :: _) as all -> List.fold all ~init:first ~f:(fun sum x -> sum + x)
  | 'a' .. 'z' | -1 | `Tag x | #color | L.(x) | (module M) -> 2

let run files =
  for i = 0 to 10 do
    print i;
    print (-i)
  done;
  while !running do
    ignore ();
    print 1
  done;
  close ()

let close_all files =
  try close files.(0) "text".[1] big.{2} with
  | Sys_error problem -> raise (Empty problem)
  | End_of_file -> begin
      ignore files;
      ()
    end

let made = { order with note = Some {|
  raw
|}; lines = [] }

let array = [| 1; 2 |]
let lazy_one = lazy (fst (1, 2))
let ( let* ) x f = bind x f
let both = let* x = one and* y = two in x || y && true
let typed = (made : order :> order)
let local = L.(map rev)
let tag = `Tag 1
let hashed = table#*key
let hole = if true then () else (x := 1)
let quoted = [%expr a] [@inline]
let raw = {%sql|select 1|}
let packed = (module L : S)
let joined = [ 1 ] @ [ 2 ]
let tuple = ~x:1, ~y

class virtual ['a] point (x : int) =
  let start = x in
  object (self)
    inherit base x as super
    val mutable x = start
    val virtual y : int
    method get = x
    method private move : int -> unit = fun d -> x <- x + d; self#redraw
    method virtual draw : unit
    method copy = {< x = 1 >}
    constraint 'a = int
    initializer ignore (new point 1)
  end

class type drawn = object
  inherit base
  val size : int
  method draw : unit
end

class small = (fun x -> point x : int -> drawn)
class other = [int] point 3

[@@@warning "-32"]
[%%expect "no"]
{%%sql|select 2|}

let () = print_endline "done";;
