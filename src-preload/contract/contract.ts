import { keysRoom, limitsRoom } from './account.ts'
import { alertsRoom } from './alerts.ts'
import { app } from './app.ts'
import { chatRoom } from './chat.ts'
import { chatToolsRoom } from './chatTools.ts'
import { connectionRoom } from './connection.ts'
import { dataRoom } from './data.ts'
import { eraseRoom } from './erase.ts'
import { imagesRoom } from './images.ts'
import { libraryRoom } from './library.ts'
import { mediaRoom, voiceRoom } from './media.ts'
import { modelsRoom } from './models.ts'
import { requestsRoom } from './requests.ts'
import { speechRoom } from './speech.ts'
import { toolsRoom } from './tools.ts'
import { transcribeRoom } from './transcribe.ts'
import { archiveRoom, transfersRoom } from './transfers.ts'
import { usageRoom } from './usage.ts'
import { waitingRoom } from './waiting.ts'

/** Everything the renderer can ask of the core, one entry a room. */
export const contract = {
  app,
  connection: connectionRoom,
  models: modelsRoom,
  chat: chatRoom,
  library: libraryRoom,
  chatTools: chatToolsRoom,
  media: mediaRoom,
  voice: voiceRoom,
  speech: speechRoom,
  transcribe: transcribeRoom,
  images: imagesRoom,
  transfers: transfersRoom,
  archive: archiveRoom,
  tools: toolsRoom,
  requests: requestsRoom,
  usage: usageRoom,
  limits: limitsRoom,
  keys: keysRoom,
  alerts: alertsRoom,
  data: dataRoom,
  waiting: waitingRoom,
  erase: eraseRoom,
}
export type Contract = typeof contract
