import { parseObject } from './chatBytes.ts'
import { dialects } from './dialects.ts'
import type { RequestFiles } from './requestFiles.ts'
import { estimatePromptTokens } from './tokenCount.ts'
import type { DialectId, PathMembers } from './types.ts'

/** What a request asks to count. */
export interface CountOptions {
  dialect: DialectId
  inPath: PathMembers
  /** As in `ChatBytesOptions`. */
  files?: RequestFiles
}

/** The tokens of the prompt of a request. */
export interface TokenCount {
  /** Estimated tokens of the prompt, at least 1. */
  tokens: number
  /** Model in the app's request. */
  model: string
  /** Fields and tools that have no effect. */
  ignored: string[]
}

/** Counts the tokens of a request with the tokenizer of this program, because the service has no such endpoint. @throws DialectError */
export function countedTokens(bytes: Buffer, { dialect, inPath, files }: CountOptions): TokenCount {
  const { chat, ignored } = dialects[dialect].translate(parseObject(bytes), inPath, files)
  return { tokens: estimatePromptTokens(chat), model: chat.model, ignored }
}
