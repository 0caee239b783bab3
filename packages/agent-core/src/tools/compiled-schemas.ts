import { Ajv, type ErrorObject, type Options } from "ajv";

/** JSON Schemas that are compiled once each. */
export interface CompiledSchemas {
  /**
   * Returns the errors of a value; empty if it is valid. Throws if the schema is not a JSON Schema.
   */
  check(schema: Schema, value: unknown): readonly ErrorObject[];
  /** Number of schemas compiled so far. */
  readonly compilations: number;
}

type Validator = ReturnType<Ajv["compile"]>;
type Schema = Readonly<Record<string, unknown>>;

/** Maximum number of validators that are cached by the content of their schema. */
const MAX_CACHED = 256;
/** Maximum number of characters of a schema that is cached by its content. */
const MAX_CACHED_LENGTH = 50_000;

/**
 * Creates a cache of validators. A validator is kept as long as its schema object exists. Schemas
 * with equal content share a validator, for example those of the same tool in many sessions.
 *
 * Each schema has its own Ajv, because an Ajv keeps everything that it ever compiled. One shared
 * Ajv validates the schemas themselves. `prepare` changes a schema before it is validated and
 * compiled.
 */
export function createCompiledSchemas(
  createAjv: (options: Options) => Ajv,
  prepare = (schema: Schema) => schema,
): CompiledSchemas {
  const byObject = new WeakMap<Schema, Validator>();
  /** Validators by schema text, least recently used first. */
  const byContent = new Map<string, Validator>();
  // This validator is created at the first check, because most processes check nothing.
  let schemaValidator: Ajv | undefined;
  let compilations = 0;

  function compile(schema: Schema): Validator {
    compilations += 1;
    // The schema is prepared first, because even validating a large schema takes long.
    const prepared = prepare(schema);
    schemaValidator ??= new Ajv({ strict: false, validateFormats: false, logger: false });
    schemaValidator.validateSchema(prepared, true);
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
      // Without this, the validator would keep the value in memory through its last errors.
      validate.errors = null;
      return errors;
    },
  };
}
