/** An object of a JSON text. */
type Item = Record<string, unknown>

/** A stored response as the JSON texts on the disk. Only another thread parses them, unless they are short. */
export interface StoredText {
  /** JSON list of the items of its own request, each with an id. Items of earlier responses are not repeated. */
  input: string
  /** JSON of the response object as the app got it. */
  reply: string
}

/** A response of the Responses API that is stored on this computer, because the app asked for that. */
export interface StoredResponse extends StoredText {
  /** The response before it in the conversation, or null. */
  previous: string | null
}

/** The stored response that has an item. */
export interface ItemOwner {
  id: string
  /** Size of the response, bytes. */
  bytes: number
}

/** An item of a response that is going to be stored. Its JSON may have been written on another thread. */
export interface StoredItem {
  /** Null for an item without an id, to which no request can refer. */
  id: string | null
  /** The item as JSON. */
  text: string
}

export interface NewResponse {
  /** `resp_…` */
  id: string
  previous: string | null
  /** The items of its own request. */
  input: StoredItem[]
  /** The response object as the app gets it. */
  reply: Item
  appId: string
  /** Id of its row in the request log. */
  request: number
}

/** The stored responses of all apps. An app can use only its own: any other is unknown to it. */
export interface StoredResponses {
  /**
   * Stores a response and resolves when it is on the disk. While the disk takes nothing, the response is in memory, can be read, and is
   * written later; the promise then resolves to false after 1.5 s.
   * @param clean removes the service's key from a text
   * @returns whether the response is stored: false when it is too large, and when it is not on the disk in time
   */
  save(response: NewResponse, clean: (text: string) => string): Promise<boolean>
  get(appId: string, id: string): StoredResponse | null
  /** Bytes of a response and of all before it, or null when one of them is unknown. */
  sizeOfConversation(appId: string, id: string): number | null
  /**
   * The texts of a response and of all before it, oldest first, or null when one of them is unknown. Reads at most `maxReadInTurn` in one turn
   * of the event loop.
   */
  texts(appId: string, id: string): Promise<StoredText[] | null>
  /** The response that has an input or output item, or null for an unknown item. */
  ownerOf(appId: string, itemId: string): ItemOwner | null
  /** Deletes a response. Resolves to whether there was one, when it is no longer on the disk. */
  delete(appId: string, id: string): Promise<boolean>
}

/** How much is read from the disk in one turn of the event loop, UTF-16 units. The last response may exceed it. */
export const maxReadInTurn = 4 * 1024 * 1024
/** Largest stored response with its own input, bytes of JSON. */
export const maxStoredResponse = 8 * 1024 * 1024
/** Most items of the request of a stored response. Each has a row of its own, and 10,000 rows take about 100 ms. */
export const maxStoredItems = 5000
