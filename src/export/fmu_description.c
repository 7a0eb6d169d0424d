// SPDX-License-Identifier: MIT

// modelDescription.xml of FMI 2 and 3, which differ in names and in how variables are
// referred to: by their places from 1, or by their value references.  Ours are the places
// from 0.
//
// Dependencies are those of the structure (fmu_depend.c).

#include "export/fmu.h"
#include "export/xml.h"

#include <kalaba/version.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const INITIAL[] = {"exact", "approx", "calculated", NULL, NULL};

static bool is_three(const KalFmu *fmu)
{
    return fmu->version == 3;
}

// The name of a source in the archive's folder of sources.
static void put_source(KalXml *xml, const KalFmu *fmu, const char *element,
                       const char *ending)
{
    char name[KAL_EXPORT_NAME_SIZE + 16];
    (void)snprintf(name, sizeof name, "%s%s", fmu->plan->name, ending);
    kal_xml_begin(xml, element);
    kal_xml_text(xml, "name", name);
    kal_xml_end(xml);
}

static void put_sources(KalXml *xml, const KalFmu *fmu, const char *element)
{
    put_source(xml, fmu, element, "_fmu.c");
    put_source(xml, fmu, element, "_begin.c");
}

// One of the two interfaces, and what it can do.
static void put_interface(KalXml *xml, const KalFmu *fmu, bool exchange)
{
    const bool three = is_three(fmu);
    kal_xml_begin(xml, exchange ? "ModelExchange" : "CoSimulation");
    kal_xml_text(xml, "modelIdentifier", fmu->plan->name);
    kal_xml_text(xml, three ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", "true");
    kal_xml_text(xml, three ? "canSerializeFMUState" : "canSerializeFMUstate", "true");
    if (fmu->plan->tangent) {
        kal_xml_text(xml,
                     three ? "providesDirectionalDerivatives"
                           : "providesDirectionalDerivative",
                     "true");
    }
    if (exchange && three) {
        kal_xml_text(xml, "needsCompletedIntegratorStep", "true");
    }
    if (!exchange) {
        kal_xml_text(xml, "canHandleVariableCommunicationStepSize", "true");
    }
    if (!exchange && three) {
        kal_xml_text(xml, "providesIntermediateUpdate", "true");
        kal_xml_text(xml, "mightReturnEarlyFromDoStep", "true");
        kal_xml_text(xml, "canReturnEarlyAfterIntermediateUpdate", "true");
        kal_xml_text(xml, "hasEventMode", "true");
    }
    if (!three) {
        kal_xml_text(xml, "canNotUseMemoryManagementFunctions", "true");
        kal_xml_begin(xml, "SourceFiles");
        put_sources(xml, fmu, "File");
        kal_xml_end(xml);
    }
    kal_xml_end(xml);
}

static bool is_first_with_unit(const KalFmu *fmu, size_t i)
{
    bool found = false;
    for (size_t k = 0; k < i && !found; k++) {
        const char *unit = fmu->variables[k].unit;
        found = unit && strcmp(unit, fmu->variables[i].unit) == 0;
    }
    return !found;
}

// Each unit once; the time has one at least.
static void put_units(KalXml *xml, const KalFmu *fmu)
{
    kal_xml_begin(xml, "UnitDefinitions");
    for (size_t i = 0; i < fmu->n_variables; i++) {
        if (fmu->variables[i].unit && is_first_with_unit(fmu, i)) {
            kal_xml_begin(xml, "Unit");
            kal_xml_text(xml, "name", fmu->variables[i].unit);
            kal_xml_end(xml);
        }
    }
    kal_xml_end(xml);
}

static void put_categories(KalXml *xml)
{
    static const char *const categories[][2] = {
        {"logStatusError",   "why a call failed"                                 },
        {"logStatusDiscard", "why there is no solution in a state"               },
        {"logEvents",        "events of the model"                               },
        {"logSteps",         "steps of the integrator within communication steps"},
    };
    kal_xml_begin(xml, "LogCategories");
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++) {
        kal_xml_begin(xml, "Category");
        kal_xml_text(xml, "name", categories[i][0]);
        kal_xml_text(xml, "description", categories[i][1]);
        kal_xml_end(xml);
    }
    kal_xml_end(xml);
}

static void put_experiment(KalXml *xml, const KalRunOptions *experiment)
{
    kal_xml_begin(xml, "DefaultExperiment");
    kal_xml_number(xml, "startTime", experiment->from);
    kal_xml_number(xml, "stopTime", experiment->until);
    kal_xml_number(xml, "tolerance", experiment->rtol);
    kal_xml_number(xml, "stepSize", experiment->every);
    kal_xml_end(xml);
}

// What FMI 3 says of the variable, and FMI 2 of its type.
static void put_type(KalXml *xml, const KalFmu *fmu, const KalFmuVariable *v)
{
    const bool starts = v->initial == KAL_FMU_EXACT || v->initial == KAL_FMU_APPROX
                        || v->initial == KAL_FMU_GIVEN;
    kal_xml_text(xml, "unit", v->unit);
    if (starts) {
        kal_xml_number(xml, "start", v->start);
    }
    if (v->nominal > 0) {
        kal_xml_number(xml, "nominal", v->nominal);
    }
    if (v->derivative > 0) {
        kal_xml_count(xml, "derivative", v->derivative + (is_three(fmu) ? 0 : 1));
    }
}

static void put_variable(KalXml *xml, const KalFmu *fmu, size_t i)
{
    assert(i < fmu->n_variables);
    const KalFmuVariable *v = &fmu->variables[i];
    kal_xml_begin(xml, is_three(fmu) ? "Float64" : "ScalarVariable");
    kal_xml_text(xml, "name", v->name);
    kal_xml_count(xml, "valueReference", i);
    kal_xml_text(xml, "description", v->description);
    kal_xml_text(xml, "causality", v->causality);
    kal_xml_text(xml, "variability", v->variability);
    kal_xml_text(xml, "initial", INITIAL[v->initial]);
    if (!is_three(fmu)) {
        kal_xml_begin(xml, "Real");
    }
    put_type(xml, fmu, v);
    if (!is_three(fmu)) {
        kal_xml_end(xml);
    }
    kal_xml_end(xml);
}

// The places of variables, as the version counts them, in a text.
static void put_dependencies(KalXml *xml, const KalFmu *fmu, size_t i)
{
    const KalFmuDependencies *d = &fmu->dependencies[i];
    KalPage text = kal_page(fmu->plan->ctx);
    for (size_t k = 0; k < d->count; k++) {
        kal_page_format(&text, "%s%zu", k > 0 ? " " : "",
                        d->on[k] + (is_three(fmu) ? 0 : 1));
    }
    kal_xml_text(xml, "dependencies", kal_page_text(&text));
    if (i
        < fmu->at_dx + fmu->plan->names.coordinates.count) { // a state, or its velocity
        kal_xml_text(xml, "dependenciesKind", "constant");
    }
    kal_page_clear(&text);
}

// An unknown of the structure.  What initialization finds may depend on all.
static void put_unknown(KalXml *xml, const KalFmu *fmu, const char *element, size_t i)
{
    const bool three = is_three(fmu);
    kal_xml_begin(xml, three ? element : "Unknown");
    kal_xml_count(xml, three ? "valueReference" : "index", three ? i : i + 1);
    if (strcmp(element, "InitialUnknown") != 0) {
        put_dependencies(xml, fmu, i);
    }
    kal_xml_end(xml);
}

static void put_outputs(KalXml *xml, const KalFmu *fmu)
{
    for (size_t i = 0; i < fmu->n_variables; i++) {
        if (strcmp(fmu->variables[i].causality, "output") == 0) {
            put_unknown(xml, fmu, "Output", i);
        }
    }
}

static void put_derivatives(KalXml *xml, const KalFmu *fmu)
{
    for (size_t i = 0; i < fmu->n_x; i++) {
        put_unknown(xml, fmu, "ContinuousStateDerivative", fmu->at_dx + i);
    }
}

// Whether initialization finds a variable that the standard wants to be listed.
static bool is_initial_unknown(const KalFmuVariable *v)
{
    return (v->initial == KAL_FMU_APPROX || v->initial == KAL_FMU_COMPUTED)
           && (strcmp(v->causality, "local") != 0 || v->derivative > 0);
}

static void put_initial(KalXml *xml, const KalFmu *fmu)
{
    for (size_t i = 0; i < fmu->n_variables; i++) {
        if (is_initial_unknown(&fmu->variables[i])) {
            put_unknown(xml, fmu, "InitialUnknown", i);
        }
    }
}

// Event indicators, which FMI 2 only counts.
static void put_indicators(KalXml *xml, const KalFmu *fmu)
{
    for (size_t i = 0; i < fmu->n_indicators && is_three(fmu); i++) {
        put_unknown(xml, fmu, "EventIndicator", fmu->at_events + i);
    }
}

// FMI 2 puts each kind of unknowns into an element of its own.
static void put_structure(KalXml *xml, const KalFmu *fmu)
{
    static const struct {
        const char *element;
        void (*put)(KalXml *xml, const KalFmu *fmu);
    } parts[] = {
        {"Outputs",         put_outputs    },
        {"Derivatives",     put_derivatives},
        {"InitialUnknowns", put_initial    },
    };

    kal_xml_begin(xml, "ModelStructure");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!is_three(fmu)) {
            kal_xml_begin(xml, parts[i].element);
        }
        parts[i].put(xml, fmu);
        if (!is_three(fmu)) {
            kal_xml_end(xml);
        }
    }
    put_indicators(xml, fmu);
    kal_xml_end(xml);
}

// The order of elements is that of the schema of FMI.
void kal_fmu_write_description(const KalFmu *fmu, KalPage *page)
{
    assert(fmu->plan && fmu->plan->system);
    const char *title = fmu->plan->system->title;
    char tool[64];
    (void)snprintf(tool, sizeof tool, "Kalaba %s", kal_version());
    KalXml xml = kal_xml(page);
    kal_xml_begin(&xml, "fmiModelDescription");
    kal_xml_text(&xml, "fmiVersion", is_three(fmu) ? "3.0" : "2.0");
    kal_xml_text(&xml, "modelName", title[0] != '\0' ? title : fmu->plan->name);
    kal_xml_text(&xml, is_three(fmu) ? "instantiationToken" : "guid", fmu->token);
    kal_xml_text(&xml, "generationTool", tool);
    kal_xml_text(&xml, "variableNamingConvention", "flat");
    if (!is_three(fmu)) {
        kal_xml_count(&xml, "numberOfEventIndicators", fmu->n_indicators);
    }
    put_interface(&xml, fmu, true);
    put_interface(&xml, fmu, false);
    put_units(&xml, fmu);
    put_categories(&xml);
    put_experiment(&xml, &fmu->experiment);
    kal_xml_begin(&xml, "ModelVariables");
    for (size_t i = 0; i < fmu->n_variables; i++) {
        put_variable(&xml, fmu, i);
    }
    kal_xml_end(&xml);
    put_structure(&xml, fmu);
    kal_xml_end(&xml);
}

void kal_fmu_write_build(const KalFmu *fmu, KalPage *page)
{
    KalXml xml = kal_xml(page);
    kal_xml_begin(&xml, "fmiBuildDescription");
    kal_xml_text(&xml, "fmiVersion", "3.0");
    kal_xml_begin(&xml, "BuildConfiguration");
    kal_xml_text(&xml, "modelIdentifier", fmu->plan->name);
    kal_xml_begin(&xml, "SourceFileSet");
    kal_xml_text(&xml, "language", "C99");
    put_sources(&xml, fmu, "SourceFile");
    kal_xml_end(&xml);
    kal_xml_end(&xml);
    kal_xml_end(&xml);
}
