(** The orders of a small shop. *)

type t
(** An order. *)

type line = {
  name : string;  (** what *)
  count : int;
}

val limit : int

(** Adds a line. *)
val add : t -> line -> t

val total : t -> float
(** What is to be paid. *)

val reset : t -> unit

module Price : sig
  type t = float

  val rate : t
  (** In percent. *)
end

exception Empty of string
