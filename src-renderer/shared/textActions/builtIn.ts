import type { Settings, TextAction } from '../../../src-preload/contract/app.ts'
import { i18n } from '../../i18n/index.ts'

/** Ids of the built-in actions, in the order of the menu. */
export const builtInIds = ['translate', 'rewrite', 'summarise', 'explain', 'fixCode'] as const
type BuiltInId = (typeof builtInIds)[number]

const text = '\n\n<text>\n{{selection}}\n</text>'

const prompts: Record<BuiltInId, string> = {
  translate: `Translate the text below into {{language}}. If it is in {{language}} already and that is not English, translate it into English. Keep its Markdown, its code and its tone. Answer with the translation alone.${text}`,
  rewrite: `Rewrite the text below so that it is clear, correct and concise. Keep its language, its meaning and its Markdown. Answer with the new text alone.${text}`,
  summarise: `Summarise the text below in its own language: one sentence with the main point, then at most five short bullet points. Add nothing that the text does not say.${text}`,
  explain: `Explain the text below in {{language}} to a person who is new to its subject. Begin with the main point, explain terms that are not common, and be brief.${text}`,
  fixCode: `Find and fix the errors of the code below. Change nothing else. Answer with the whole corrected code in one code block, then list each change in one short line.${text}`,
}

/** The built-in actions. Their names are empty, because the window shows their translated names. */
export const builtInActions: readonly TextAction[] = builtInIds.map((id) => ({ id, name: '', prompt: prompts[id] }))

/** The actions of the menu. */
export const actionsOf = (settings: Pick<Settings, 'textActions'> | undefined): readonly TextAction[] =>
  settings?.textActions ?? builtInActions

/** The built-in action with this id, or undefined. */
export const builtInAction = (id: string): TextAction | undefined => builtInActions.find((one) => one.id === id)

/** The name that the window shows. */
export function nameOf({ id, name }: Pick<TextAction, 'id' | 'name'>): string {
  if (name !== '') return name
  const known = builtInIds.find((one) => one === id)
  return known ? i18n.t(`textActions:names.${known}`) : id
}

/**
 * The model of text actions. An own choice is used as it is, so that a model that has gone is reported instead of replaced by a dearer one.
 * @param models ids of the models of the service; empty while they are not known
 * @param other the model for a person who has no model of new chats, or null
 */
export function modelOfActions(
  settings: Pick<Settings, 'textActionModel' | 'newChatModel' | 'chatModel'> | undefined,
  models: readonly string[],
  other: string | null,
): string | null {
  if (!settings) return null
  if (settings.textActionModel !== null) return settings.textActionModel
  const wanted = [settings.newChatModel, settings.chatModel].filter((one) => one !== null)
  return wanted.find((one) => models.length === 0 || models.includes(one)) ?? other
}
