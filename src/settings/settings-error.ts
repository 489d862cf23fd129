/** A setting that cannot be used; the message is for the user. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  /** The setting's camelCase name, such as `maxBodySize`; undefined where the error is of none. */
  readonly setting: string | undefined;

  constructor(message: string, setting?: string) {
    super(message);
    this.setting = setting;
  }
}
