# A small shop, as a package and a service.
{
  config,
  lib ? import <nixpkgs/lib>,
  pkgs,
  ...
}@args:

let
  inherit (lib) mkIf mkOption;
  cfg = config.services.shop;
  price = 4.5;
  label = name: "tea \"${name}\" \${x}$$";
  both = args@{ a, b }: a + b;
  old = let { body = 1; };
  home = ~/shop;
  source = ./src/${cfg.name};
  page = https://example.com/shop;
in
assert lib.versionAtLeast lib.version "24.05";
rec {
  options.services.shop = {
    enable = lib.mkEnableOption "the shop";
    port = mkOption {
      type = lib.types.port;
      default = 8080;
    };
  };

  /* What it is made of. */
  package = pkgs.stdenv.mkDerivation rec {
    pname = "shop";
    inherit (cfg) version;
    inherit source "page";
    buildInputs = with pkgs; [ openssl zlib (callPackage ./dep.nix { }) ];
    installPhase = ''
      mkdir -p $out/bin
        cp shop ''${x} ${pname} '''quoted'''
    '';
  };

  config = mkIf (cfg.enable && !cfg.off || cfg ? port) {
    count = if -1 < 2 then cfg.port or 80 else 0;
    all = [ 1 2 ] ++ { a = 1; } // { "b c" = 2; ${label "d"} = 3; };
  };
}
