"""HTTP API and web page over the same functions as the command line; nothing is carried out from here."""
