// The ways in which a simulated device computes wrongly, by the names that SIM and the tests plant
// them with.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace sim {

// clang-format off
/// Of the forward pass.
#define SIM_FORWARD_FAULTS(X) \
    X(gates_swapped) X(bias_dropped) X(input_bias_dropped) X(candidate_bias_dropped) X(bias_twice) X(candidate_by_sigmoid) \
    X(hard_sigmoid) X(cell_not_squashed) X(forget_gate_shifted) X(input_gate_dropped) X(forget_gate_dropped) \
    X(output_gate_dropped) X(reset_before_product) X(reset_ignored) X(update_exchanged) X(relu_leaks) X(activation_exchanged) \
    X(input_column_dropped) X(state_column_dropped) X(input_column_off_by_one) X(state_unit_off_by_one) \
    X(last_unit_repeated) X(weights_of_first_layer) X(layer_below_late) X(halves_exchanged) X(weights_of_forward_direction) \
    X(forward_half_only) X(backward_not_reversed) X(backward_from_padding) X(last_step_dropped) X(state_not_carried) \
    X(h_not_carried) X(c_not_carried) X(initial_state_ignored) X(initial_c_ignored) X(initial_state_of_other_sequence) \
    X(hy_of_step_before) X(cy_of_step_before) X(hy_of_longest_step) X(padding_not_honoured) X(padding_not_filled) \
    X(projection_ignored) X(projection_row_dropped) X(projection_column_dropped) X(clip_ignored) X(clip_one_sided) \
    X(skipped_input_dropped) X(sums_not_cleared) X(input_of_other_sequence) X(last_sequence_not_computed) X(tf32_although_forbidden) \
    X(states_in_bf16) X(states_in_fp16) X(gates_in_fp16) X(computed_in_float) X(bit_flipped) X(nan_lane) X(stale_output) \
    X(batch_row_exchanged) X(wrong_numbers)

/// Of the gradients.
#define SIM_BACKWARD_FAULTS(X) \
    X(dx_without_last_gate) X(dx_of_first_step_missing) X(dx_of_last_step_missing) X(dx_without_backward_direction) \
    X(dx_of_upper_layer_lost) X(dx_column_missing) X(dh_not_carried) X(dc_not_carried) X(dhy_ignored) X(dcy_ignored) X(dhx_zero) X(dcx_zero) \
    X(dy_of_last_step_ignored) X(dh_without_last_gate) X(dw_last_step_missing) X(dw_first_step_missing) \
    X(dw_last_sequence_missing) X(dw_of_last_step_alone) X(dw_by_state_after) X(dw_gates_swapped) X(dw_column_missing) \
    X(dw_row_off_by_one) X(dw_recurrent_missing) X(db_missing) X(db_twice) X(db_recurrent_of_input) X(sigmoid_slope_wrong) \
    X(tanh_slope_wrong) X(dc_without_squash_slope) X(dc_of_output_missing) X(dinput_without_candidate) \
    X(dcandidate_without_input_gate) X(dforget_by_new_c) X(doutput_by_raw_c) X(dc_not_through_forget) X(dh_not_direct) \
    X(dreset_missing) X(dupdate_reversed) X(dcandidate_without_reset) X(dupdate_by_h_alone) X(relu_mask_ignored) \
    X(dprojection_missing) X(dprojection_by_h) X(dm_row_missing) X(gradients_in_bf16) X(gradient_bit_flipped) X(stale_dx) \
    X(stale_dw)
// clang-format on

enum class Fault {
    none,
#define SIM_FAULT_VALUE(name) name,
    SIM_FORWARD_FAULTS(SIM_FAULT_VALUE) SIM_BACKWARD_FAULTS(SIM_FAULT_VALUE)
#undef SIM_FAULT_VALUE
};

/// The names in the order of the values, "none" first.
std::span<const std::string_view> fault_names();
std::optional<Fault> fault_named(std::string_view name);

}  // namespace sim
