(** The orders of a small shop. *)

open Base

type t
(** An order. *)

type line = { name : string;  (** what *) count : int }

type payment =
  | Cash  (** at the door *)
  | Card of string

exception Empty of string

val limit : int

(** Adds a line. *)
val add : t -> ?count:int -> line -> t

val total : t -> float
(** What is to be paid. *)

external now : unit -> float = "shop_now"

module Price : sig
  type t = float

  val rate : t
end

module type S = sig
  include Comparable.S with type t := t
end

module Make (X : S) : S

class type drawn = object
  method draw : unit
end

class point : int -> drawn
