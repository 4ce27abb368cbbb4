/**
 * Names of fields, query parameters, form fields and headers with which servers and routers select a model besides `model`: `models` and
 * `route` (OpenRouter), `fallbacks` and its kinds and `user_config` (LiteLLM), `plugins` (OpenRouter's automatic
 * choice), `engine` and `deployment` (older OpenAI and Azure), presets, adapters.
 */
const selector =
  /model|rout(?:e|ing)|fallback|engine|deployment|preset|adapter|(?:^|[_-])lora|extra_?body|litellm|prompt_?id|user_?config|plugins/

/** Whether a name, in lower case, may select a model. `model` itself does, too. */
export const selectsModel = (name: string): boolean => selector.test(name)

/** Whether a request header may select a model: as above, and the settings of Portkey. */
export const headerSelectsModel = (name: string): boolean => selectsModel(name) || /^x-portkey-|^helicone-/.test(name)

/** A member of a request besides `model` that may select a model. */
export interface ModelSelector {
  field: string
  /** The models that it names, or null when it is not just a list of names. */
  models: readonly string[] | null
}

/**
 * What a member selects: nothing for null, false, an empty list or object, empty texts, and `route: "fallback"`, which tries `models` in turn.
 * @param field the name in lower case
 * @param value undefined when it was too long to be read
 */
export function selectedModels(field: string, value: unknown): readonly string[] | null {
  if (value === null || value === false || (field === 'route' && value === 'fallback')) return []
  const list: unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 1 && isEmptyObject(list[0])) return []
  return list.every((one) => typeof one === 'string') ? list.filter((name) => name !== '') : null
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The first field that could select a model which is not allowed, or null. */
export const selectorBesides = (selectors: readonly ModelSelector[], allowed: readonly string[]): string | null =>
  selectors.find(({ models }) => models === null || !models.every((model) => allowed.includes(model)))?.field ?? null
