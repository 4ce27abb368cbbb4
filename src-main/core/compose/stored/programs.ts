import { suggestedModelMap } from '../../../../src-preload/contract/modelMap.ts'
import { type ProgramId, programIds, programInfos } from '../../../../src-preload/contract/programs.ts'
import { StudioError } from '../../errors.ts'
import { modelFacts } from '../../features/models/modelFacts.ts'
import { createPrograms, definitionOf } from '../../features/programs/programs.ts'
import { Apps } from '../../gateway/apps/apps.ts'
import { openStore } from '../../store/store.ts'
import { placeOf } from '../account.ts'
import { allowTools, ownerOf, thisMachine } from '../programs.ts'

export type ProgramCommands = ReturnType<typeof openPrograms>

/**
 * The programs of this computer for commands, also while a core runs.
 * @param port port of the local API; absent: that of the settings
 */
export function openPrograms(dataDir: string, port?: number) {
  const store = openStore(dataDir)
  const apps = new Apps(store)
  const place = () => {
    const profile = store.profiles.active()
    return profile && placeOf(profile)
  }
  const models = { store, place, prices: () => new Map() }
  const { list, steps, preview, connect, previewDisconnect, disconnect, rewrite, close } = createPrograms({
    store,
    dataDir,
    machine: thisMachine(),
    app: (id) => apps.get(id),
    allowTools: (id) => allowTools(apps, id),
    ownerOf: (key) => ownerOf(apps, key),
    baseUrl,
    modelFacts: (model) => modelFacts(models).facts.find(({ id }) => id === model),
    requests: async () => [],
  })
  function baseUrl(): string {
    return `http://127.0.0.1:${port ?? store.settings.read().proxyPort}/v1`
  }
  /** Models of the connection in use that may chat, as last listed. */
  function chatModels(): string[] {
    const at = place()
    const unfit = new Set(modelFacts(models).facts.flatMap(({ id, notForChat }) => (notForChat === null ? [] : [id])))
    return ((at && store.modelLists.find(at)?.models) ?? []).map(({ id }) => id).filter((id) => !unfit.has(id))
  }
  return {
    ...{ list, steps, preview, connect, previewDisconnect, disconnect, rewrite, baseUrl },
    apps: {
      list: apps.list,
      add: apps.add.bind(apps),
      update: apps.update.bind(apps),
      rotate: apps.rotate.bind(apps),
    },
    /** The program that has this id or name. @throws StudioError `bad_input` */
    named(which: string) {
      const wanted = which.trim().toLowerCase()
      const id = programIds.find((one) => one === wanted || programInfos[one].name.toLowerCase() === wanted)
      if (id !== undefined) {
        const { files, tools, keyPlace } = definitionOf(id)
        return { id, ...programInfos[id], keyPlace, hasFile: files.length > 0, canUseTools: tools !== undefined }
      }
      throw new StudioError('bad_input', `No program is called ${which}. Programs: ${programIds.join(', ')}.`)
    },
    /** The model of new chats, else the first of the service. Null: none is known. */
    usualModel(): string | null {
      const { newChatModel, chatModel } = store.settings.read()
      return newChatModel ?? chatModel ?? chatModels()[0] ?? null
    },
    /** The model map that a program needs for a model. */
    modelMap: (program: ProgramId, model: string) =>
      suggestedModelMap(programInfos[program].modelMap, model, chatModels()),
    async close(): Promise<void> {
      await close()
      apps.close()
      store.close()
    },
  }
}
