/**
 * Several services, each with its own key, and one sandbox. A model list belongs to a profile, because two accounts at one address may have
 * different models.
 */
export const sql = `
DROP INDEX profiles_one_of_a_kind;
CREATE UNIQUE INDEX profiles_one_sandbox ON profiles (kind) WHERE kind = 'sandbox';

CREATE TABLE lists_of_profiles (
  profile   TEXT PRIMARY KEY,
  base_url  TEXT NOT NULL,
  models    TEXT NOT NULL,
  as_of     TEXT NOT NULL
) STRICT;
INSERT INTO lists_of_profiles (profile, base_url, models, as_of)
  SELECT profiles.id, model_lists.base_url, model_lists.models, model_lists.as_of
  FROM profiles JOIN model_lists ON model_lists.base_url = profiles.base_url;
DROP TABLE model_lists;
ALTER TABLE lists_of_profiles RENAME TO model_lists;
`
