import { countOrNull, isFields, textOrNull } from '../../../upstream/json/values.ts'
import type { JsonObject, ModelAbilities } from '../types.ts'

/** The name under which Ollama's `/api/show` gives the context length. */
const architecture = 'service'

/** What the service does not report about a model is empty, as clients expect every member. */
const details = {
  parent_model: '',
  format: '',
  family: '',
  families: null,
  parameter_size: '',
  quantization_level: '',
}

/** The service's model list in the shape of `/api/tags`, newest model first. @param models body of the service's `GET /v1/models` */
export function modelTags(models: unknown): JsonObject {
  const data = isFields(models) && Array.isArray(models.data) ? models.data : []
  const known = new Map<string, number>()
  for (const model of data) {
    if (!isFields(model)) continue
    const id = textOrNull(model.id)
    if (id !== null && id !== '' && !known.has(id)) known.set(id, secondsOf(model.created))
  }
  const sorted = [...known].sort(([, a], [, b]) => b - a)
  return {
    models: sorted.map(([id, created]) => ({
      name: id,
      model: id,
      modified_at: new Date(created * 1000).toISOString(),
      size: 0,
      digest: '',
      details,
    })),
  }
}

/** Seconds since 1970. 0 for anything that no date can hold. */
function secondsOf(created: unknown): number {
  const seconds = countOrNull(created) ?? 0
  return seconds <= 253_402_300_799 ? seconds : 0
}

/** The reply to `/api/show`. What the studio does not know about a model is claimed as usual: it calls tools and sees no images. */
export function modelDescription({ images, tools, thinking, contextLength }: ModelAbilities): JsonObject {
  return {
    license: '',
    modelfile: '',
    parameters: '',
    template: '',
    details,
    model_info: {
      'general.architecture': architecture,
      ...(contextLength !== null && { [`${architecture}.context_length`]: contextLength }),
    },
    capabilities: [
      'completion',
      ...(tools === false ? [] : ['tools']),
      ...(images === true ? ['vision'] : []),
      ...(thinking === true ? ['thinking'] : []),
    ],
    modified_at: new Date(0).toISOString(),
  }
}
