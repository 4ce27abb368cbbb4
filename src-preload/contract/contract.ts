import { app } from './app.ts'
import { chatRoom } from './chat.ts'
import { connectionRoom } from './connection.ts'
import { modelsRoom } from './models.ts'
import { requestsRoom } from './requests.ts'
import { toolsRoom } from './tools.ts'

/** Everything the renderer can ask of the core, one entry a room. */
export const contract = {
  app,
  connection: connectionRoom,
  models: modelsRoom,
  chat: chatRoom,
  tools: toolsRoom,
  requests: requestsRoom,
}
export type Contract = typeof contract
