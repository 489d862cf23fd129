/** An invalid setting. The message is for the user. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** camelCase name of the setting, such as `maxBodySize`; undefined if no single setting is wrong. */
  readonly setting: string | undefined;

  constructor(message: string, setting?: string) {
    super(message);
    this.setting = setting;
  }
}
