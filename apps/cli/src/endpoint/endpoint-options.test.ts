import { expect, test } from "vitest";
import { checkEncryption, type EndpointOptions } from "./endpoint-options.js";

const options: EndpointOptions = {
  opensAtStart: true,
  port: 0,
  host: "127.0.0.1",
  allowsPlainHttp: false,
};
const tls = { certFile: "/cert", keyFile: "/key" };

test.each<Partial<EndpointOptions>>([
  {},
  { host: "localhost" },
  { host: "::1" },
  { publicUrl: "https://dt.example" },
  { publicUrl: "http://127.0.0.1:8080/" },
  { host: "0.0.0.0", tls },
  { host: "0.0.0.0", allowsPlainHttp: true },
  { publicUrl: "http://dt.example", allowsPlainHttp: true },
])("an endpoint with the options %j is allowed", (changed) => {
  expect(() => checkEncryption({ ...options, ...changed })).not.toThrow();
});

test.each<Partial<EndpointOptions>>([
  { host: "0.0.0.0" },
  { host: "192.168.1.5" },
  { host: "laptop.local", publicUrl: "https://dt.example" },
  { publicUrl: "http://dt.example" },
])("an endpoint with the options %j needs --insecure-http", (changed) => {
  expect(() => checkEncryption({ ...options, ...changed })).toThrow("--insecure-http");
});
