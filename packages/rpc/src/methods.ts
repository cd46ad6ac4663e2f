import type { DescMessage, DescMethod, DescService, Message, MessageInitShape } from '@bufbuild/protobuf';
import { invalidArgument } from '@stopgo/core';
import { create } from '@stopgo/proto';
import type { CallContext } from './context.ts';
import type { ServiceImpl } from './service-types.ts';

/** A message or what one is made of, where its type is known at run time only. */
export type MessageInit = MessageInitShape<DescMessage>;

export type UnaryHandler = (request: Message, context: CallContext) => Promise<MessageInit>;
export type StreamHandler = (request: Message, context: CallContext) => AsyncIterable<MessageInit>;

/** A method of a contract. */
export type Method = {
  readonly kind: 'unary' | 'stream';
  readonly desc: DescMethod;
  /** `/package.Service/Method`, as gRPC writes it. */
  readonly path: string;
};

/** A method with what implements it. */
export type BoundMethod =
  | (Method & { readonly kind: 'unary'; readonly run: UnaryHandler })
  | (Method & { readonly kind: 'stream'; readonly run: StreamHandler });

/**
 * The methods of a contract.
 *
 * @throws Error if one streams its requests: no transport here carries that.
 */
export function methodsOf(service: DescService): readonly Method[] {
  return service.methods.map((desc) => {
    const path = `/${service.typeName}/${desc.name}`;
    if (desc.methodKind === 'unary') return { kind: 'unary', desc, path };
    if (desc.methodKind === 'server_streaming') return { kind: 'stream', desc, path };
    throw new Error(`${path} streams its requests; only unary and server-streaming methods are carried`);
  });
}

/**
 * The methods of a contract with their implementations, which may be functions of an object or methods of a class.
 *
 * @throws Error if one is missing.
 */
export function boundMethodsOf<S extends DescService>(service: S, impl: ServiceImpl<S>): readonly BoundMethod[] {
  const functions = impl as Record<string, unknown>;
  return methodsOf(service).map((method) => {
    const run = functions[method.desc.localName];
    if (typeof run !== 'function') {
      throw new Error(`${method.path} is not implemented: "${method.desc.localName}" is missing`);
    }
    return { ...method, run: run.bind(impl) } as BoundMethod;
  });
}

/**
 * The request as a message: itself if it is one, else made from the plain object.
 *
 * @throws DomainError `invalid_argument` if nothing can be made from it, which types prevent.
 */
export function requestOf({ desc, path }: Method, init: MessageInit): Message {
  try {
    return create(desc.input, init);
  } catch (cause) {
    throw invalidArgument(`${path}: not a valid ${desc.input.typeName}`, {}, { cause });
  }
}
