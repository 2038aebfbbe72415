(** The orders of a small shop. *)

open Base
open Stdio

(** How many lines an order may have. *)
let limit = 20

type order = {
  customer : string;  (** who pays *)
  mutable lines : int list;
      (** what was ordered *)
  gift : bool;
}
[@@deriving show]

type payment =
  | Cash
  | Card of string * int  (* with its number *)
  | Voucher of string
      (** by its code *)

(** Adds a line. *)
let add order product count =
  let line = product * count in
  order.lines <- line :: order.lines;
  print_endline order.customer;
  order

let rec even n = if n = 0 then true else odd (n - 1)

and odd n = if n = 0 then false else even (n - 1)

(* What is to be paid. *)
let total prices =
  match prices with
  | [] -> 0
  | [ price ] -> price
  | price :: rest -> price + total rest

let label = function
  | Cash -> "cash"
  (* what it is *)
  | Card (name, number) ->
    let text = {|
  card
|} in
    text ^ name
  | Voucher code -> code

let rates = [ 7; 19; 0 ]
let pair = (1, 2)

module Store = struct
  let count = ref 0

  (** Makes one. *)
  let make () =
    for i = 0 to 3 do
      incr count
    done;
    log "made"

  let reset () = count := 0
end

module Empty = struct
end

class point x =
  object (self)
    val mutable x = x
    method get = x
    method move d = x <- x + d
  end

let run file =
  try close file with
  | Sys_error problem -> prerr_endline problem

let () = run "a"
