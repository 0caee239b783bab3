import { Ajv, type ErrorObject, type Options } from "ajv";

/** Checks values against JSON Schemas and compiles each schema only once. */
export interface CompiledSchemas {
  /**
   * Returns the errors of a value; empty if the value is valid. Throws if the schema is not valid.
   */
  check(schema: Schema, value: unknown): readonly ErrorObject[];
  /** Number of schemas compiled so far. */
  readonly compilations: number;
}

type Validator = ReturnType<Ajv["compile"]>;
type Schema = Readonly<Record<string, unknown>>;

/** Options of {@link createCompiledSchemas}. */
export interface CompiledSchemasOptions {
  /** Creates the Ajv of one schema. */
  createAjv(options: Options): Ajv;
  /** Changes a schema before it is validated and compiled. */
  prepare?(schema: Schema): Schema;
  /**
   * True if the schemas are constants of our code. They are then not validated, because compiling the schema of
   * schemas takes 50 ms of the first session of a process.
   */
  readonly areTrusted?: boolean;
}

/** Maximum number of validators that are cached by the content of their schema. */
const MAX_CACHED = 256;
/** Maximum number of characters of a schema that is cached by its content. */
const MAX_CACHED_LENGTH = 50_000;

/**
 * Creates a cache of validators. A validator is kept as long as its schema object exists. Schemas
 * with equal content share a validator, for example the schemas of one tool in many sessions.
 *
 * Each schema has its own Ajv, because an Ajv keeps everything that it ever compiled. One shared
 * Ajv validates the schemas themselves.
 */
export function createCompiledSchemas({
  createAjv,
  prepare = (schema) => schema,
  areTrusted = false,
}: CompiledSchemasOptions): CompiledSchemas {
  const byObject = new WeakMap<Schema, Validator>();
  /** Validators by schema text, least recently used first. */
  const byContent = new Map<string, Validator>();
  // Created at the first check, because many processes never check a value.
  let schemaValidator: Ajv | undefined;
  let compilations = 0;

  function compile(schema: Schema): Validator {
    compilations += 1;
    // `prepare` may replace a large schema, which would take long even to validate.
    const prepared = prepare(schema);
    if (!areTrusted) {
      schemaValidator ??= new Ajv({ strict: false, validateFormats: false, logger: false });
      schemaValidator.validateSchema(prepared, true);
    }
    const ajv = createAjv({ allErrors: true, strict: false, meta: false, validateSchema: false });
    return ajv.compile(prepared);
  }

  function getShared(schema: Schema): Validator {
    const content = JSON.stringify(schema);
    if (content.length > MAX_CACHED_LENGTH) return compile(schema);
    const validate = byContent.get(content) ?? compile(schema);
    byContent.delete(content);
    byContent.set(content, validate);
    const [oldest] = byContent.keys();
    if (byContent.size > MAX_CACHED && oldest !== undefined) byContent.delete(oldest);
    return validate;
  }

  return {
    get compilations() {
      return compilations;
    },
    check(schema, value) {
      const validate = byObject.get(schema) ?? getShared(schema);
      byObject.set(schema, validate);
      if (validate(value)) return [];
      const errors = validate.errors ?? [];
      // The errors refer to the value, so the validator would keep the value in memory.
      validate.errors = null;
      return errors;
    },
  };
}
