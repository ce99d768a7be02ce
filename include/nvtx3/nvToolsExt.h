/* SPDX-License-Identifier: Apache-2.0
 *
 * nvToolsExt.h: marks and ranges for profilers (NVTX). Nobody listens here: every call is accepted
 * and has no effect, as with NVIDIA's own header while no tool is attached.
 */
#ifndef LOCKSTEP_NVTX3_NVTOOLSEXT_H
#define LOCKSTEP_NVTX3_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef struct nvtxResourceHandle_st *nvtxResourceHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

/* A call without effect: its parameters are read, so that no compiler warns of unused variables. */
#define LOCKSTEP_NVTX(type, name, parameters, result)                                              \
    static inline type name parameters                                                             \
    {                                                                                              \
        return result;                                                                             \
    }
#define LOCKSTEP_NVTX_VOID(name, parameters)                                                       \
    static inline void name parameters                                                             \
    {                                                                                              \
    }
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
/* clang-format off */
LOCKSTEP_NVTX_VOID(nvtxInitialize, (const void *reserved))
LOCKSTEP_NVTX_VOID(nvtxMarkA, (const char *message))
LOCKSTEP_NVTX_VOID(nvtxMarkW, (const wchar_t *message))
LOCKSTEP_NVTX_VOID(nvtxMarkEx, (const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX(int, nvtxRangePushA, (const char *message), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(int, nvtxRangePushW, (const wchar_t *message), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *attributes), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(nvtxRangeId_t, nvtxRangeStartA, (const char *message), 0)
LOCKSTEP_NVTX(nvtxRangeId_t, nvtxRangeStartW, (const wchar_t *message), 0)
LOCKSTEP_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *attributes), 0)
LOCKSTEP_NVTX_VOID(nvtxRangeEnd, (nvtxRangeId_t range))
LOCKSTEP_NVTX_VOID(nvtxNameOsThreadA, (uint32_t thread, const char *name))
LOCKSTEP_NVTX_VOID(nvtxNameCategoryA, (uint32_t category, const char *name))
LOCKSTEP_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, (const char *name), (nvtxDomainHandle_t)0)
LOCKSTEP_NVTX(nvtxDomainHandle_t, nvtxDomainCreateW, (const wchar_t *name), (nvtxDomainHandle_t)0)
LOCKSTEP_NVTX_VOID(nvtxDomainDestroy, (nvtxDomainHandle_t domain))
LOCKSTEP_NVTX_VOID(nvtxDomainMarkEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes))
LOCKSTEP_NVTX(int, nvtxDomainRangePushEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(int, nvtxDomainRangePop, (nvtxDomainHandle_t domain), NVTX_NO_PUSH_POP_TRACKING)
LOCKSTEP_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, (nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes), 0)
LOCKSTEP_NVTX_VOID(nvtxDomainRangeEnd, (nvtxDomainHandle_t domain, nvtxRangeId_t range))
LOCKSTEP_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, (nvtxDomainHandle_t domain, const char *text), (nvtxStringHandle_t)0)
LOCKSTEP_NVTX_VOID(nvtxDomainNameCategoryA, (nvtxDomainHandle_t domain, uint32_t category, const char *name))
/* clang-format on */
#if defined(__clang__) || defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#undef LOCKSTEP_NVTX
#undef LOCKSTEP_NVTX_VOID

#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxDomainCreate nvtxDomainCreateW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxDomainCreate nvtxDomainCreateA
#endif
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA

#endif
