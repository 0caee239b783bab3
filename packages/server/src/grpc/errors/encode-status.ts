import { fromJson, type JsonObject as ProtoJson, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { isObject, type JsonObject } from "@dt/schema";

const { LengthDelimited, Varint } = WireType;

/** Encodes a google.rpc.Status. Its details are ProtoJSON; a detail of an unknown type is left out. */
export function encodeStatus(status: {
  readonly code: number;
  readonly message: string;
  readonly details: readonly JsonObject[];
}): Uint8Array {
  const writer = new BinaryWriter().tag(1, Varint).int32(status.code);
  writer.tag(2, LengthDelimited).string(status.message);
  for (const detail of status.details) {
    const type = String(detail["@type"]);
    const encode = ENCODERS[type.slice(type.lastIndexOf("/") + 1)];
    if (encode === undefined) continue;
    writer.tag(3, LengthDelimited).fork();
    writer.tag(1, LengthDelimited).string(type).tag(2, LengthDelimited).bytes(encode(detail));
    writer.join();
  }
  return writer.finish();
}

/** Encoders of the details, by the name of their protobuf message. */
const ENCODERS: Readonly<Record<string, (detail: JsonObject) => Uint8Array>> = {
  "google.rpc.ErrorInfo": encodeErrorInfo,
  "google.rpc.BadRequest": encodeBadRequest,
  "google.protobuf.Struct": ({ value }) =>
    toBinary(StructSchema, fromJson(StructSchema, value as ProtoJson)),
};

function encodeErrorInfo({ reason, domain, metadata }: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  writeStrings(writer, [reason, domain]);
  for (const entry of Object.entries(isObject(metadata) ? metadata : {})) {
    writer.tag(3, LengthDelimited).fork();
    writeStrings(writer, entry);
    writer.join();
  }
  return writer.finish();
}

function encodeBadRequest({ fieldViolations }: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  for (const violation of Array.isArray(fieldViolations) ? fieldViolations : []) {
    writer.tag(1, LengthDelimited).fork();
    writeStrings(writer, [violation.field, violation.description]);
    writer.join();
  }
  return writer.finish();
}

/** Writes strings as the fields 1, 2 … of a message. */
function writeStrings(writer: BinaryWriter, values: readonly unknown[]): void {
  for (const [index, value] of values.entries()) {
    writer.tag(index + 1, LengthDelimited).string(String(value ?? ""));
  }
}
