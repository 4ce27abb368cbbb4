import { jsonSchema, tool } from 'ai'
import { lighthouse } from './service.ts'

/** The tool of `lighthouse` for the Vercel AI SDK. Adds the arguments of each call to `calls`. */
export function aiSdkTool(calls: unknown[]) {
  const { name, description, parameters, answer } = lighthouse
  return {
    [name]: tool({
      description,
      inputSchema: jsonSchema<{ name: string }>({ ...parameters, required: ['name'] }),
      execute: (input) => {
        calls.push(input)
        return answer
      },
    }),
  }
}
