import { expect, test } from "vitest";
import { createShareLink } from "./share-link.js";

const CODE = "4KZ7Q-9M2XB";
const addresses = ["192.168.1.5", "10.0.0.2"];

test.each([
  ["http://127.0.0.1:4000/", undefined, "http://127.0.0.1:4000/join#4KZ7Q-9M2XB", true, []],
  ["http://192.168.1.5:4000/", undefined, "http://192.168.1.5:4000/join#4KZ7Q-9M2XB", false, []],
  [
    "http://0.0.0.0:4000/",
    undefined,
    "http://192.168.1.5:4000/join#4KZ7Q-9M2XB",
    false,
    ["10.0.0.2"],
  ],
  [
    "https://[::]:4000/",
    undefined,
    "https://192.168.1.5:4000/join#4KZ7Q-9M2XB",
    false,
    ["10.0.0.2"],
  ],
  [
    "http://127.0.0.1:4000/",
    "https://dt.example",
    "https://dt.example/join#4KZ7Q-9M2XB",
    false,
    [],
  ],
  ["http://127.0.0.1:4000/", "https://a.b/dt", "https://a.b/dt/join#4KZ7Q-9M2XB", false, []],
])("the endpoint %s with the public address %s has the link %s", (...row) => {
  const [url, publicUrl, link, isOnlyHere, otherHosts] = row;

  expect(createShareLink({ url, publicUrl, addresses }, CODE)).toEqual({
    url: link,
    isOnlyHere,
    otherHosts,
  });
});

test("without a network, a link names this machine only", () => {
  const source = { url: "http://0.0.0.0:4000/", publicUrl: undefined, addresses: [] };

  expect(createShareLink(source, CODE)).toEqual({
    url: "http://127.0.0.1:4000/join#4KZ7Q-9M2XB",
    isOnlyHere: true,
    otherHosts: [],
  });
});
