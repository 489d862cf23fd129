vcl 4.1;

backend wirebin {
  .host = "127.0.0.1";
  .port = "8080";
}
