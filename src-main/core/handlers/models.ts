import { listModels, type ModelsFeature } from '../features/models/listModels.ts'
import { type ModelFactsFeature, modelFacts, setContextLength, setFavourite } from '../features/models/modelFacts.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about the models of the connection. */
export const modelsHandlers = (os: Implementer['models'], models: ModelsFeature & ModelFactsFeature) => ({
  list: os.list.handler(({ input }) => listModels(models, input)),
  facts: os.facts.handler(() => modelFacts(models)),
  setContextLength: os.setContextLength.handler(({ input }) => done(setContextLength(models, input))),
  setFavourite: os.setFavourite.handler(({ input }) => done(setFavourite(models, input))),
})
