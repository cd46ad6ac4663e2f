export declare const handedOverIn: string;
export declare function handOver(variables: Readonly<Record<string, string | undefined>>): string;
export declare function takeHandedOver(env?: Record<string, string | undefined>): void;
