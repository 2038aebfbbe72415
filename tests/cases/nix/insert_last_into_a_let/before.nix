# The shop, as a package and a service.
{
  config,
  lib,
  pkgs,
  ...
}:

let
  inherit (lib) mkIf mkOption types;
  cfg = config.services.shop;

  # What stands on a label.
  label = name: "tea ${name}";
in
{
  options.services.shop = {
    enable = lib.mkEnableOption "the shop";

    # Where it listens.
    port = mkOption {
      type = types.port;
      default = 8080; # as ever
    };
  };

  empty = { };

  package = pkgs.stdenv.mkDerivation rec {
    pname = "shop";
    inherit pname;
    buildInputs = with pkgs; [ openssl zlib curl ];
    tools = [
      git
      jq
    ];
    installPhase = ''
      mkdir -p $out/bin
        cp ${pname} $out/bin
    '';
  };

  config = mkIf cfg.enable {
    systemd.services.shop.wantedBy = [ "multi-user.target" ];
  };
}
